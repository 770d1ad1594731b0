import type { ChangedStreams, StreamsChange } from '../../store.ts';
import { type SectionDraft, SectionType, streamsSection } from '../log/sections.ts';
import { leaveStream, stayStream } from './catalog-changes.ts';
import type { CatalogState } from './catalog-state.ts';
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

/**
 * The filter selects among the streams as they are now; the record holds their numbers. A million of them are 125 KB
 * there, and here a few arrays while the record is on its way.
 */
export function draftStreamsChange(
  state: CatalogState,
  { workspace, action, filter, now }: StreamsChange,
  interruptedAfterMs: number,
): StreamsDraft {
  const { isVisible, rows } = state.streams;
  const forGood = action === 'hardDelete';
  const changes = (stream: number) =>
    isVisible(stream) && (forGood || rows.softDeleted[stream] === (action === 'restore'));
  const selected = streamsToChange(state, workspace, filter, now, interruptedAfterMs);
  const numbers = selected.filter(changes);
  if (forGood) for (const stream of numbers) leaveStream(state, stream);
  const type = action === 'restore' ? SectionType.RestoreStreams : SectionType.DeleteStreams;
  return {
    sections: numbers.length === 0 ? [] : [streamsSection(type, numbers, forGood)],
    changed: () => namesOf(state, numbers.filter(changes)),
    takeBack() {
      if (forGood) for (const stream of numbers) stayStream(state, stream);
    },
  };
}

/** Of streams that may be gone when their names are asked for. */
function namesOf(state: CatalogState, numbers: Uint32Array): ChangedStreams {
  const ids: string[] = [];
  const topics: string[] = [];
  for (const stream of numbers) {
    ids.push(state.streams.id(stream));
    topics.push(state.topics[state.streams.topic(stream)]!.name);
  }
  return {
    count: numbers.length,
    *keys() {
      for (const [i, streamId] of ids.entries()) yield { topic: topics[i]!, streamId };
    },
  };
}
