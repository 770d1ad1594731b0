import { compareStreamKeys, type StreamKey } from '../../../domain/stream.ts';
import type { Position } from '../../../query/plan/cursor.ts';
import type { Steps } from '../../../turns/steps.ts';
import { streamsOfStep } from '../catalog/one-moment.ts';
import type { PlacedGroup } from '../rows/row-group.ts';
import { timeList } from '../rows/time-list.ts';
import { windowOf, windowStart } from '../rows/windows.ts';
import { type BoundStreams, compareBound } from './bind-streams.ts';
import type { WaitingStreams } from './merge-streams.ts';

/** Which rows of the streams are wanted, and in which direction. */
export interface WaitingRange {
  /** Nanoseconds, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  readonly descending: boolean;
  /** Only rows after this one in the order. */
  readonly after: Position | undefined;
}

/** Reads the rows of a stream between two times (ns, both inclusive). */
export type OpenStream = (stream: number, from: bigint, to: bigint) => AsyncGenerator<PlacedGroup>;

/**
 * The streams of a read in the order in which their first rows may come. They are a heap, not a sorted list: a read that
 * wants few rows needs few of them.
 */
export function* waitingStreams(
  bound: BoundStreams,
  { from, to, descending, after }: WaitingRange,
  open: OpenStream,
): Steps<WaitingStreams> {
  const sign = descending ? -1 : 1;
  const edge = descending ? to : from;
  const edgeWindow = windowOf(edge);
  const edgeOffset = Number(edge - windowStart(edgeWindow));
  /** Whose rows at the time of `after` all come before it. */
  const isPast = (place: number) =>
    after !== undefined && after.timestamp === edge && compareStreamKeys(keyOf(place), after) * sign < 0;
  const keyOf = (place: number): StreamKey => ({ streamId: bound.ids[place]!, topic: bound.topics[place]! });
  const known = descending ? bound.lasts : bound.firsts;
  const begins = timeList();
  const past = new Uint8Array(bound.count);
  const next = edge + BigInt(sign);
  const nextWindow = windowOf(next);
  const nextOffset = Number(next - windowStart(nextWindow));
  const heap = new Uint32Array(bound.count);
  let size = 0;
  for (let place = 0; place < bound.count; place++) {
    if (place % streamsOfStep === streamsOfStep - 1) yield;
    const isInside = descending
      ? known.isBefore(place, edgeWindow, edgeOffset)
      : known.isAfter(place, edgeWindow, edgeOffset);
    const isOver = descending
      ? bound.firsts.isAfter(place, edgeWindow, edgeOffset)
      : bound.lasts.isBefore(place, edgeWindow, edgeOffset);
    if (isOver) continue;
    if (isInside) begins.set(place, known.window(place), known.offset(place));
    else if (isPast(place)) {
      past[place] = 1;
      begins.set(place, nextWindow, nextOffset);
    } else begins.set(place, edgeWindow, edgeOffset);
    heap[size++] = place;
  }

  function isBefore(a: number, b: number): boolean {
    const order =
      begins.window(a) - begins.window(b) || begins.offset(a) - begins.offset(b) || compareBound(bound, a, b);
    return order * sign < 0;
  }
  function sink(start: number): void {
    const place = heap[start]!;
    let at = start;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, place)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = place;
  }
  for (let at = (size >> 1) - 1; at >= 0; at--) {
    sink(at);
    if (at % streamsOfStep === 0) yield;
  }

  let top: { window: number; offset: number; key: StreamKey } | undefined;
  function look(): void {
    const place = heap[0]!;
    top =
      size === 0
        ? undefined
        : { window: begins.window(place), offset: begins.offset(place), key: keyOf(place) };
  }
  look();
  return {
    top: () => top,
    take() {
      const place = heap[0]!;
      const { key } = top!;
      const first = past[place] === 1 && !descending ? next : from;
      const last = past[place] === 1 && descending ? next : to;
      size--;
      heap[0] = heap[size]!;
      sink(0);
      look();
      return { key, groups: open(bound.streams[place]!, first, last) };
    },
  };
}
