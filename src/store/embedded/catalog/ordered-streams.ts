import type { Ordering, Paging } from '../../../domain/query.ts';
import type { Status } from '../../../domain/stream.ts';
import { compareText } from '../../../domain/tags.ts';
import { sortInSteps } from '../../../query/groups/paced-sort.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { CatalogState } from './catalog-state.ts';
import { streamsOfStep } from './one-moment.ts';
import { visibleExtent } from './retention.ts';
import { locationOf, nameOf, topicOf } from './stream-fields.ts';

type Scalar = string | number | bigint | undefined;

interface Key {
  readonly read: (stream: number) => Scalar;
  readonly sign: number;
}

/** The furthest end of a page that a heap finds; one further back is cut from a sorted list of all. */
const maxHeap = 4096;

/**
 * Takes streams in any order and gives a page of them in the wanted one, in which id and topic come last. The first page
 * of a million is found without sorting them, in the memory of that page.
 */
export interface StreamOrder {
  add(stream: number): void;
  /** The page, or all. */
  page(): Steps<readonly number[]>;
}

export function streamOrder(
  state: CatalogState,
  ordering: readonly Ordering[] = [{ by: 'createdAt', direction: 'Asc' }],
  paging: Paging | undefined,
  statusAt: (stream: number) => Status,
): StreamOrder {
  const keys = ordering.map(({ by, direction }) => ({
    read: scalarOf(state, by, statusAt),
    sign: direction === 'Desc' ? -1 : 1,
  }));
  const end = paging === undefined ? Number.POSITIVE_INFINITY : (paging.index + 1) * paging.length;
  const start = paging === undefined ? 0 : paging.index * paging.length;
  return end > maxHeap ? allInOrder(state, keys, start, end) : firstInOrder(state, keys, start, end);
}

/** What a stream is ordered by, as it was when the stream was looked at: writes may change it meanwhile. */
interface Held {
  readonly stream: number;
  readonly values: readonly Scalar[];
}

/** Holds the first `end` streams in a heap with the last of them at its top. */
function firstInOrder(state: CatalogState, keys: readonly Key[], start: number, end: number): StreamOrder {
  const heap: Held[] = [];

  function compare(a: Held, b: Held): number {
    for (const [i, { sign }] of keys.entries()) {
      const order = compareScalars(a.values[i], b.values[i], sign);
      if (order !== 0) return order;
    }
    return compareNames(state, a.stream, b.stream);
  }

  function isBefore(stream: number, { values, stream: other }: Held): boolean {
    for (let i = 0; i < keys.length; i++) {
      const { read, sign } = keys[i]!;
      const order = compareScalars(read(stream), values[i], sign);
      if (order !== 0) return order < 0;
    }
    return compareNames(state, stream, other) < 0;
  }

  function sink(held: Held): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) > 0) child++;
      if (compare(heap[child]!, held) <= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = held;
  }

  function rise(held: Held): void {
    let at = heap.push(held) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (compare(heap[parent]!, held) >= 0) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = held;
  }

  return {
    add(stream) {
      if (end === 0 || (heap.length === end && !isBefore(stream, heap[0]!))) return;
      const held = { stream, values: keys.map(({ read }) => read(stream)) };
      if (heap.length === end) sink(held);
      else rise(held);
    },
    *page() {
      return heap
        .sort(compare)
        .slice(start)
        .map(({ stream }) => stream);
    },
  };
}

/** Holds all, with their values in columns, and sorts them at the end. */
function allInOrder(state: CatalogState, keys: readonly Key[], start: number, end: number): StreamOrder {
  const streams: number[] = [];
  const columns = keys.map(({ read, sign }) => ({ read, sign, values: [] as Scalar[] }));

  function compare(a: number, b: number): number {
    for (const { values, sign } of columns) {
      const order = compareScalars(values[a], values[b], sign);
      if (order !== 0) return order;
    }
    return compareNames(state, streams[a]!, streams[b]!);
  }

  return {
    add(stream) {
      streams.push(stream);
      for (const { read, values } of columns) values.push(read(stream));
    },
    *page() {
      const order = yield* sortInSteps(streams.length, compare);
      const page: number[] = [];
      for (let i = start; i < Math.min(end, order.length); i++) {
        page.push(streams[order[i]!]!);
        if (page.length % streamsOfStep === 0) yield;
      }
      return page;
    },
  };
}

function compareScalars(left: Scalar, right: Scalar, sign: number): number {
  if (left === right) return 0;
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  return left < right ? -sign : sign;
}

function compareNames(state: CatalogState, a: number, b: number): number {
  return (
    compareText(state.streams.id(a), state.streams.id(b)) || compareText(topicOf(state, a), topicOf(state, b))
  );
}

function scalarOf(
  state: CatalogState,
  by: string,
  statusAt: (stream: number) => Status,
): (stream: number) => Scalar {
  const { streams } = state;
  const { rows } = streams;
  if (by.startsWith('metadata.')) {
    const key = by.slice('metadata.'.length);
    return (stream) => {
      const metadata = rows.properties[stream]?.metadata;
      return metadata !== undefined && Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    };
  }
  const fields: Record<string, (stream: number) => Scalar> = {
    streamId: streams.id,
    name: (stream) => nameOf(state, stream),
    topic: (stream) => topicOf(state, stream),
    createdAt: (stream) => rows.createdAt[stream],
    lastUpdate: (stream) => rows.lastUpdate[stream],
    timeOfRecording: (stream) => rows.properties[stream]?.timeOfRecording,
    dataStart: (stream) => visibleExtent(state, stream)?.first,
    dataEnd: (stream) => visibleExtent(state, stream)?.last,
    status: statusAt,
    location: (stream) => locationOf(state, stream),
  };
  return (Object.hasOwn(fields, by) ? fields[by] : undefined) ?? (() => undefined);
}
