import { windowStart } from './windows.ts';

/** Times as windows and offsets (windows.ts), so that a million of them are compared without a bigint for each. */
export interface TimeList {
  /** Takes over the time (ns) at an index of an array. */
  put(place: number, times: BigInt64Array, index: number): void;
  set(place: number, window: number, offset: number): void;
  window(place: number): number;
  offset(place: number): number;
  /** Nanoseconds. */
  time(place: number): bigint;
  isBefore(place: number, window: number, offset: number): boolean;
  isAfter(place: number, window: number, offset: number): boolean;
}

/** Windows are of 2^50 ns: of the upper 32 bits of a time so many belong to the offset. */
const offsetBits = 18;
const offsetMask = 2 ** offsetBits - 1;

export function timeList(): TimeList {
  let windows = new Int32Array(16);
  let offsets = new Float64Array(16);
  /** The array that was read from last, as halves of its times. */
  let source: BigInt64Array | undefined;
  let halves: Int32Array = new Int32Array(0);

  function makeRoom(place: number): void {
    if (place < windows.length) return;
    const [oldWindows, oldOffsets] = [windows, offsets];
    windows = new Int32Array(2 * place);
    offsets = new Float64Array(2 * place);
    windows.set(oldWindows);
    offsets.set(oldOffsets);
  }

  return {
    put(place, times, index) {
      makeRoom(place);
      if (times !== source) {
        source = times;
        halves = new Int32Array(times.buffer, times.byteOffset, 2 * times.length);
      }
      const upper = halves[2 * index + 1]!;
      windows[place] = upper >> offsetBits;
      offsets[place] = (upper & offsetMask) * 2 ** 32 + (halves[2 * index]! >>> 0);
    },
    set(place, window, offset) {
      makeRoom(place);
      windows[place] = window;
      offsets[place] = offset;
    },
    window: (place) => windows[place]!,
    offset: (place) => offsets[place]!,
    time: (place) => windowStart(windows[place]!) + BigInt(offsets[place]!),
    isBefore: (place, window, offset) =>
      windows[place] === window ? offsets[place]! < offset : windows[place]! < window,
    isAfter: (place, window, offset) =>
      windows[place] === window ? offsets[place]! > offset : windows[place]! > window,
  };
}
