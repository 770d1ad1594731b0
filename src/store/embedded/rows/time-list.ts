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
  /** The arrays that it works on, as they are now. */
  data(): TimeData;
}

/** The same as plain data, which can be sent to a thread. There may be more places than times. */
export interface TimeData {
  readonly windows: Int32Array;
  readonly offsets: Float64Array;
}

/** The bits of the upper 32 of a time that belong to the offset: windows are of 2^50 ns. */
const offsetBits = 18;
const offsetMask = 2 ** offsetBits - 1;

/** @param data the times that it begins with; they are taken over, not copied */
export function timeList(data?: TimeData): TimeList {
  let windows = data?.windows ?? new Int32Array(16);
  let offsets = data?.offsets ?? new Float64Array(16);
  /** The array that was read from last, as halves of its times. */
  let source: BigInt64Array | undefined;
  let halves: Int32Array = new Int32Array(0);

  function makeRoom(place: number): void {
    if (place < windows.length) return;
    const [oldWindows, oldOffsets] = [windows, offsets];
    windows = new Int32Array(2 * place + 1);
    offsets = new Float64Array(2 * place + 1);
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
    data: () => ({ windows, offsets }),
  };
}
