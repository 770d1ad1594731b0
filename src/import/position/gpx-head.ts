import { channelNames, plainName } from '../channel-names.ts';
import { FileFault } from '../file-bytes.ts';
import { createMetadata } from '../metadata.ts';

/** The most texts of a file and its tracks: more than anyone writes. */
const mostTexts = 200;
/** Elements that only hold others together. */
const holders = new Set(['gpx', 'metadata', 'trk', 'rte', 'trkseg', 'extensions']);

export interface GpxTrack {
  readonly kind: 'trk' | 'rte';
  name: string;
  segments: number;
  /** Points with a time. */
  points: number;
}

/** What a file says of itself and of its tracks and routes. */
export interface GpxHead {
  readonly tracks: readonly GpxTrack[];
  addTrack(kind: GpxTrack['kind']): void;
  addSegment(): void;
  addPoint(track: number): void;
  addText(names: readonly string[], isOfTrack: boolean, text: string): void;
  /** Each track's own name, by its place in the file; texts as `name`, `author`, `track.type`; and what is left out. */
  end(): {
    readonly trackNames: readonly string[];
    readonly metadata: Record<string, string>;
    readonly leftOut: string[];
    readonly notes: string[];
    /** Which tracks have other names than the file gives them. */
    readonly trackNotes: string[];
  };
}

export function createGpxHead(): GpxHead {
  const tracks: GpxTrack[] = [];
  const texts: { readonly key: string; readonly track: number | undefined; readonly text: string }[] = [];
  let tooMany = 0;
  return {
    tracks,
    addTrack(kind) {
      tracks.push({ kind, name: '', segments: 0, points: 0 });
    },
    addSegment() {
      tracks.at(-1)!.segments++;
    },
    addPoint(track) {
      tracks[track]!.points++;
    },
    addText(names, isOfTrack, text) {
      // They follow from the points.
      if (names.includes('bounds')) return;
      const key = names.filter((name) => !holders.has(name)).join('.');
      const track = tracks.at(-1);
      if (isOfTrack && key === 'name' && track!.name === '') track!.name = plainName(text);
      if (texts.length === mostTexts) tooMany++;
      else
        texts.push({
          key: key === 'author.name' ? 'author' : key,
          track: isOfTrack ? tracks.length - 1 : undefined,
          text,
        });
    },
    end() {
      const { trackNames, notes } = namesOf(tracks);
      const isOne = tracks.filter(({ points }) => points > 0).length === 1;
      const metadata = createMetadata();
      let ofEmpty = 0;
      for (const { key, track, text } of texts) {
        if (track !== undefined && tracks[track]!.points === 0) {
          ofEmpty++;
          continue;
        }
        metadata.add(track === undefined ? key : `${isOne ? 'track' : trackNames[track]}.${key}`, text);
      }
      const more = tooMany > 0 ? [`${tooMany} more texts that say something of the file`] : [];
      const idle = ofEmpty > 0 ? [`${ofEmpty} texts of tracks without a point that has a time`] : [];
      return {
        trackNames,
        metadata: metadata.entries,
        leftOut: [...metadata.leftOut, ...more, ...idle],
        notes: metadata.notes(),
        trackNotes: notes,
      };
    },
  };
}

/** Names of tracks and routes as they have them, else their numbers, each once. */
function namesOf(tracks: readonly GpxTrack[]): { trackNames: string[]; notes: string[] } {
  const numbers = { trk: 0, rte: 0 };
  const names = channelNames((what) => new FileFault(what, undefined));
  const trackNames = tracks.map(({ kind, name }) => {
    numbers[kind]++;
    return names.nameFor(name || `${kind === 'trk' ? 'Track' : 'Route'} ${numbers[kind]}`, 0);
  });
  return { trackNames, notes: names.notes() };
}
