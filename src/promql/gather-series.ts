import { type Column, isPresent, Kind } from '../domain/parameter-data.ts';
import type { StreamKey } from '../domain/stream.ts';
import type { TagPair, TagSet } from '../domain/tags.ts';
import type { RowBlock } from '../store/store.ts';
import { seriesEnds } from '../wire/series/series-rows.ts';
import { GrowingSeries } from './growing-series.ts';
import { type CompiledMatcher, matchesAll } from './matchers.ts';
import type { ReadsFrom } from './reads-from.ts';
import { named, pairsOf, shownTags } from './series-labels.ts';
import type { Samples } from './values.ts';

/** Is given series, one after the other. A series holds until it has been taken. */
export type TakeSeries = (series: Samples) => Promise<void> | undefined;

/** Rows of one stream and one set of tags that are labels: by parameter their series, null where the matchers do not want it. */
interface Place {
  readonly pairs: readonly TagPair[];
  readonly series: (GrowingSeries | null | undefined)[];
  /** Rows of several sets of tags, for some have a tag without a value: of two at one time the last counts. */
  isOfSeveral: boolean;
}

/** What series are gathered of. */
export interface GatherFrom extends Pick<ReadsFrom, 'view' | 'budget'> {
  readonly names: readonly string[];
  readonly matchers: readonly CompiledMatcher[];
  readonly metadata: (key: StreamKey) => Readonly<Record<string, string>>;
}

/** Makes series of rows, in blocks whose columns are of values by name, then of their ends by name. */
export class SeriesGatherer {
  readonly #from: GatherFrom;
  /** By stream, then by tags. */
  readonly #streams = new Map<string, Map<string, Place>>();
  #stream: StreamKey | undefined;
  #placesOfStream = new Map<string, Place>();
  /** Where samples of other series were. */
  readonly #idle: GrowingSeries[] = [];
  readonly #clock = new BlockClock();

  constructor(from: GatherFrom) {
    this.#from = from;
  }

  /** Whether all that was added is whole: the next block begins with other streams, of which no row was before. */
  isWholeBefore({ apart, streams }: RowBlock): boolean {
    if (apart === undefined || this.#stream === undefined) return false;
    const [next] = streams;
    return next!.streamId !== this.#stream.streamId || next!.topic !== this.#stream.topic;
  }

  /** Gives all series, and forgets them. */
  async giveTo(take: TakeSeries): Promise<void> {
    for (const places of this.#streams.values()) {
      for (const { series } of places.values()) {
        for (const one of series) {
          if (!one) continue;
          const taking = one.isEmpty ? undefined : take(one.samples());
          if (taking !== undefined) await taking;
          this.#idle.push(one);
        }
      }
    }
    this.#streams.clear();
    this.#stream = undefined;
  }

  /** @param block of a whole stream holds until its series were given */
  add(block: RowBlock): void {
    const { apart, count, columns, streamIndex, tagIndex, streams, tagSets } = block;
    const times = this.#clock.timesOf(block);
    const isOfOne = streamIndex === undefined && tagIndex === undefined;
    const places = isOfOne ? this.#place(streams[0]!, tagSets[0]!) : this.#placesOf(block);
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i];
      if (column === undefined) continue;
      const parameter = i % this.#from.names.length;
      const isWhole = column.kind === Kind.Numeric && column.present === undefined;
      if (!isWhole || Array.isArray(places)) {
        this.#addRows(times, column, places, parameter);
        continue;
      }
      const { values } = column;
      const all = values.length === count ? values : values.subarray(0, count);
      const series = this.#seriesAt(places, parameter);
      if (apart === 'whole') series?.hold(times, all);
      else series?.append(times, all);
    }
  }

  /** @param places of all rows, or of each */
  #addRows(times: Float64Array, column: Column, places: Place | readonly Place[], parameter: number): void {
    for (let row = 0; row < times.length; row++) {
      if (!isPresent(column.present, row)) continue;
      const place = 'series' in places ? places : places[row]!;
      const series = this.#seriesAt(place, parameter);
      if (series === null) continue;
      if (column.kind === Kind.Numeric) {
        if (place.isOfSeveral) series.takeBack(times[row]!);
        series.push(times[row]!, column.values[row]!);
      } else if (isEnd(column.bytes, row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!))
        series.addEnd(times[row]!);
    }
  }

  /** For each row the place of its stream and tags. */
  #placesOf(block: RowBlock): Place[] {
    const { streams, tagSets, streamIndex, tagIndex } = block;
    const known = new Map<number, Place>();
    const places: Place[] = new Array(block.count);
    for (let row = 0; row < block.count; row++) {
      const [stream, tags] = [streamIndex?.[row] ?? 0, tagIndex?.[row] ?? 0];
      const pair = stream * tagSets.length + tags;
      let place = known.get(pair);
      if (place === undefined) {
        place = this.#place(streams[stream]!, tagSets[tags]!);
        known.set(pair, place);
      }
      places[row] = place;
    }
    return places;
  }

  #place(stream: StreamKey, tags: TagSet): Place {
    if (stream !== this.#stream) {
      const key = `${stream.topic.length}:${stream.topic}${stream.streamId}`;
      const known = this.#streams.get(key) ?? new Map<string, Place>();
      this.#streams.set(key, known);
      this.#stream = stream;
      this.#placesOfStream = known;
    }
    const shown = shownTags(tags);
    let place = this.#placesOfStream.get(shown.key);
    if (place === undefined) {
      const { budget, names, view, metadata } = this.#from;
      budget.take(512 + 8 * names.length);
      place = {
        pairs: pairsOf(stream, shown, view, metadata(stream)),
        series: new Array<GrowingSeries | undefined>(names.length),
        isOfSeveral: false,
      };
      this.#placesOfStream.set(shown.key, place);
    }
    if (shown !== tags) place.isOfSeveral = true;
    return place;
  }

  #seriesAt({ pairs, series }: Place, parameter: number): GrowingSeries | null {
    const known = series[parameter];
    if (known !== undefined) return known;
    const { matchers, names, budget } = this.#from;
    const labels = named(pairs, names[parameter]!);
    const found = matchesAll(matchers, labels)
      ? (this.#idle.pop() ?? new GrowingSeries(labels, budget))
      : null;
    found?.begin(labels);
    series[parameter] = found;
    return found;
  }
}

/** The times of rows in ms. Rows of many streams come at the same times: then they are the same array. */
class BlockClock {
  #base = 0n;
  #offsets: Float64Array = new Float64Array(0);
  #times: Float64Array = new Float64Array(0);

  timesOf({ base, offsets, count }: RowBlock): Float64Array {
    if (base === this.#base && this.#isSame(offsets, count)) return this.#times;
    const restNs = Number(base % 1_000_000n);
    const baseMs = Number(base / 1_000_000n);
    const times = new Float64Array(count);
    for (let row = 0; row < count; row++) times[row] = baseMs + (restNs + offsets[row]!) / 1e6;
    this.#base = base;
    this.#offsets = offsets;
    this.#times = times;
    return times;
  }

  #isSame(offsets: Float64Array, count: number): boolean {
    if (count !== this.#times.length) return false;
    const known = this.#offsets;
    if (offsets === known) return true;
    for (let row = 0; row < count; row++) if (offsets[row] !== known[row]) return false;
    return true;
  }
}

const endBytes = Buffer.from(seriesEnds);

function isEnd(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from === endBytes.length && endBytes.equals(bytes.subarray(from, to));
}
