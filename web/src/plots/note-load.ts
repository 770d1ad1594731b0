import { computed, signal } from '@preact/signals';
import type { Client } from '../../../src/client/client.ts';
import { found } from '../runs/found.ts';
import { openStreams } from '../runs/open-streams.ts';
import { client } from '../session.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { streams } from '../state/view.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import type { Note } from './note.ts';
import { noteId } from './note-id.ts';
import { restedRange } from './range.ts';

/** More notes than this are read of no run at once: of a run with more, those of the range are. */
const mostNotes = 500;

export interface NoteLoad {
  readonly notes: readonly Note[];
  /** Runs that have more notes in the range than are shown. */
  readonly crowded: readonly StreamRef[];
}

/** When each of the open runs was written last, as far as the list of runs tells: somebody may have made a note. */
const lastUpdates = stable(() =>
  streams.value.map((open) => {
    const lists = [found.value.value, openStreams.value.value];
    const infos = lists.map((infos) => infos?.find((info) => isStream(info, open)));
    return infos.find((info) => info !== undefined)?.lastUpdate ?? '';
  }),
);
/** The open runs, where one of them has too many notes to be read at once: other runs may have few. */
const crowdedRuns = signal<readonly StreamRef[] | undefined>(undefined);
const rangeOfCrowded = stable(() => (crowdedRuns.value === streams.value ? restedRange.value : undefined));

/** Notes of the open runs. */
export const noteLoad = loaded<NoteLoad>(() => {
  const service = client.value;
  const open = streams.value;
  lastUpdates.value;
  const range = rangeOfCrowded.value;
  if (service === undefined || open.length === 0) return undefined;
  return afterwards(async (signal) => {
    const loads = await Promise.all(open.map((stream) => loadNotes(service, stream, range, signal)));
    const crowded = open.filter((_, i) => loads[i] === undefined);
    if (crowded.length > 0) crowdedRuns.value = open;
    return { notes: loads.flatMap((notes) => notes ?? []), crowded };
  });
});

const known = stable(() => {
  const notes = noteLoad.value.value?.notes ?? [];
  return notes.filter(({ stream }) => streams.value.some((open) => isStream(open, stream)));
});

/** Notes of the open runs, in order of time. */
export const notes = computed<readonly Note[]>(() =>
  known.value.toSorted((a, b) => (a.time < b.time ? -1 : 1)),
);

/** Undefined where there are too many. One without a text was removed. */
async function loadNotes(
  service: Client,
  stream: StreamRef,
  range: TimeRange | undefined,
  signal: AbortSignal,
): Promise<Note[] | undefined> {
  const place = { topic: stream.topic, streamIds: [stream.streamId], eventIds: [noteId], ...range };
  const counts = await service.eventData({ ...place, aggregation: { aggregationType: 'Count' } }, { signal });
  const count = (counts[noteId] ?? []).reduce((sum, { value }) => sum + Number(value), 0);
  if (count === 0) return [];
  if (count > mostNotes) return undefined;
  const { [noteId]: rows = [] } = await service.eventData(place, { signal });
  return rows
    .map(({ timestamp, value, tags }) => ({ stream, time: timestamp, text: String(value), tags }))
    .filter(({ text }) => text !== '');
}
