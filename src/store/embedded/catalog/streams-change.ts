import type { Steps } from '../../../turns/steps.ts';
import type { ChangedStreams, StreamsChange } from '../../store.ts';
import { type SectionDraft, SectionType, streamsSection } from '../log/sections.ts';
import { leaveStream, stayStream } from './catalog-changes.ts';
import type { CatalogState } from './catalog-state.ts';
import { streamsOfStep } from './one-moment.ts';
import { streamsToChange } from './select-streams.ts';

/** A delete or a restore of streams, on its way to the disk. */
export interface StreamsDraft {
  /** Empty where the filter selects nothing. */
  readonly sections: readonly SectionDraft[];
  /** What the record will change; to be asked just before it is applied, for records before it may change that. */
  changed(): ChangedStreams;
  /** The record did not become durable. */
  takeBack(): void;
}

export const noStreams: ChangedStreams = { count: 0, keys: () => [] };

/** Streams that a filter selects, with their names: they may be gone when these are asked for. */
export interface NamedStreams {
  /** Ascending. */
  readonly numbers: Uint32Array;
  readonly ids: readonly string[];
  readonly topics: readonly string[];
}

/** The filter selects among the streams as they are now. */
export function* selectToChange(
  state: CatalogState,
  { workspace, filter, now }: StreamsChange,
  interruptedAfterMs: number,
): Steps<NamedStreams> {
  const numbers = yield* streamsToChange(state, workspace, filter, now, interruptedAfterMs);
  const ids: string[] = [];
  const topics: string[] = [];
  for (const stream of numbers) {
    ids.push(state.streams.id(stream));
    topics.push(state.topics[state.streams.topic(stream)]!.name);
    if (ids.length % streamsOfStep === 0) yield;
  }
  return { numbers, ids, topics };
}

/**
 * The record holds the numbers of the streams. A million of them are 125 KB there, and here a few arrays while the record is
 * on its way.
 */
export function draftStreamsChange(
  state: CatalogState,
  { action }: Pick<StreamsChange, 'action'>,
  selected: NamedStreams,
): StreamsDraft {
  const { isVisible, rows } = state.streams;
  const forGood = action === 'hardDelete';
  const from = action === 'restore';
  /** By place in `selected`, a 1 for what has to be changed now; how many there are. */
  const lookWhat = () => {
    const marks = new Uint8Array(selected.numbers.length);
    let count = 0;
    for (let place = 0; place < marks.length; place++) {
      const stream = selected.numbers[place]!;
      if (!isVisible(stream) || !(forGood || rows.softDeleted[stream] === from)) continue;
      marks[place] = 1;
      count++;
    }
    return { marks, count };
  };
  const { marks, count } = lookWhat();
  const numbers = new Uint32Array(count);
  for (let place = 0, at = 0; at < count; place++)
    if (marks[place] === 1) numbers[at++] = selected.numbers[place]!;
  if (forGood) for (const stream of numbers) leaveStream(state, stream);
  const type = action === 'restore' ? SectionType.RestoreStreams : SectionType.DeleteStreams;
  return {
    sections: numbers.length === 0 ? [] : [streamsSection(type, numbers, forGood)],
    changed() {
      const will = lookWhat();
      return { count: will.count, keys: () => keysOf(selected, will.marks) };
    },
    takeBack() {
      if (forGood) for (const stream of numbers) stayStream(state, stream);
    },
  };
}

function* keysOf({ ids, topics }: NamedStreams, marks: Uint8Array) {
  for (const [place, streamId] of ids.entries())
    if (marks[place] === 1) yield { topic: topics[place]!, streamId };
}
