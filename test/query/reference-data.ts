import type { ReferenceRow } from './reference.ts';
import { flatTags } from './reference.ts';
import { hasTags, type TagCondition } from './reference-tags.ts';

/** Rows of one stream as one payload brings them; a later row of the same identity wins, value by value. */
export interface Payload {
  readonly topic: string;
  readonly streamId: string;
  readonly rows: readonly Omit<ReferenceRow, 'topic' | 'streamId'>[];
}

/** A range of rows to delete; both ends inclusive. */
export interface RangeToDelete {
  readonly streamIds?: readonly string[];
  readonly topic?: string;
  readonly from: bigint;
  readonly to: bigint;
  /** `kind:name`; absent means all parameters. */
  readonly keys?: readonly string[];
  readonly tagFilters?: readonly TagCondition[];
}

/** Streams to delete or to bring back; every field that is there must hold. */
export interface StreamSelection {
  readonly streamIds?: readonly string[];
  readonly topic?: string;
}

/** What has been written and deleted so far, as plain rows. */
export interface ReferenceData {
  write(payload: Payload): void;
  /** How many rows lost a value. */
  deleteRange(range: RangeToDelete): number;
  /** How many streams it met. */
  deleteStreams(selection: StreamSelection, isHard: boolean): number;
  restoreStreams(selection: StreamSelection): number;
  /** Every row that a read may see. */
  rows(): ReferenceRow[];
}

interface ReferenceStream {
  readonly topic: string;
  readonly streamId: string;
  readonly rows: Map<string, ReferenceRow & { readonly values: Map<string, number | string> }>;
  isDeleted: boolean;
}

export function referenceData(): ReferenceData {
  /** The first spelling stays, whatever becomes of the topic's streams. */
  const topics = new Map<string, string>();
  const streams = new Map<string, ReferenceStream>();
  const selected = ({ streamIds, topic }: StreamSelection) =>
    [...streams].filter(
      ([, stream]) =>
        (streamIds === undefined || streamIds.includes(stream.streamId)) &&
        (topic === undefined || stream.topic.toLowerCase() === topic.toLowerCase()),
    );
  return {
    write({ topic: spelt, streamId, rows }) {
      const topic = topics.get(spelt.toLowerCase()) ?? spelt;
      topics.set(spelt.toLowerCase(), topic);
      const key = JSON.stringify([topic, streamId]);
      const stream = streams.get(key) ?? { topic, streamId, rows: new Map(), isDeleted: false };
      streams.set(key, stream);
      stream.isDeleted = false;
      for (const { timestamp, tags, values } of rows) {
        if (values.size === 0) continue;
        const identity = JSON.stringify([String(timestamp), ...flatTags(tags)]);
        const row = stream.rows.get(identity) ?? { topic, streamId, timestamp, tags, values: new Map() };
        for (const [name, value] of values) row.values.set(name, value);
        stream.rows.set(identity, row);
      }
    },
    // Decided here: the rows of a soft-deleted stream are beyond the reach of a range, as they are of a read.
    deleteRange({ from, to, keys, tagFilters = [], ...selection }) {
      let touched = 0;
      for (const [, { rows, isDeleted }] of selected(selection)) {
        if (isDeleted) continue;
        for (const [identity, row] of rows) {
          if (row.timestamp < from || row.timestamp > to || !hasTags(row.tags, tagFilters)) continue;
          const lost = (keys ?? [...row.values.keys()]).filter((key) => row.values.delete(key));
          if (lost.length > 0) touched++;
          if (row.values.size === 0) rows.delete(identity);
        }
      }
      return touched;
    },
    deleteStreams(selection, isHard) {
      // Decided here: a stream that is soft-deleted already can still be deleted for good.
      const met = selected(selection).filter(([, { isDeleted }]) => isHard || !isDeleted);
      for (const [key, stream] of met) {
        if (isHard) streams.delete(key);
        else stream.isDeleted = true;
      }
      return met.length;
    },
    restoreStreams(selection) {
      const met = selected(selection).filter(([, { isDeleted }]) => isDeleted);
      for (const [, stream] of met) stream.isDeleted = false;
      return met.length;
    },
    rows: () =>
      [...streams.values()].filter(({ isDeleted }) => !isDeleted).flatMap(({ rows }) => [...rows.values()]),
  };
}
