import type { Presence } from '../domain/parameter-data.ts';
import { movingExtreme, movingMean } from './moving-window.ts';
import type { RunningFunction, WindowFunction } from './syntax.ts';
import { type ValueRoom, valuesOfState } from './value-room.ts';

/** What a function remembers of the rows before, of one stream and one value of the tags of `over`. */
export interface StreamState {
  /**
   * Takes the value of a row and gives the function's; undefined where it has none. Times ascend or stay.
   * @param time nanoseconds since the origin
   */
  next(time: number, value: number): number | undefined;
  /** Moves the origin of times forward by so many nanoseconds: doubles hold those near it exactly. */
  moveOrigin(by: number): void;
  /** The same as `next` of one row after another, where that is worth a loop of its own. */
  nextAll?(rows: RowsAlong, out: Float64Array, present: Uint8Array): void;
}

/** Rows [from, to), in order of time. */
export interface RowsAlong {
  readonly from: number;
  readonly to: number;
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Rows without a value change nothing. */
  readonly has: Presence;
}

/** What gives no value for rows without one; `fill` does, and is no state of this kind. */
export type AlongStream = Exclude<RunningFunction, 'fill'> | WindowFunction;

/** Functions that take rows from the first wanted one on only. */
export function beginsWithWanted(name: AlongStream): boolean {
  return name === 'integral' || name === 'sum';
}

/** @param width of a window, nanoseconds */
export function newState(name: AlongStream, width: number, room: ValueRoom): StreamState {
  room.take(valuesOfState);
  switch (name) {
    case 'previous':
    case 'difference':
    case 'derivative':
      return step(name);
    case 'integral':
      return integral();
    case 'sum':
      return runningSum();
    case 'movingMean':
      return movingMean(width, room);
    case 'movingMin':
      return movingExtreme(width, 1, room);
    case 'movingMax':
      return movingExtreme(width, -1, room);
    case 'lowpass':
      return lowpass(width);
  }
}

function seconds(nanoseconds: number): number {
  return nanoseconds / 1e9;
}

type Step = 'previous' | 'difference' | 'derivative';

function step(name: Step): StreamState {
  let isFirst = true;
  let last = 0;
  let lastTime = 0;
  const one = {
    from: 0,
    to: 1,
    times: new Float64Array(1),
    values: new Float64Array(1),
    has: undefined,
  };
  const given = { values: new Float64Array(1), present: new Uint8Array(1) };

  /** One loop for all three: a function that gives a value is called for each row, and its values are objects. */
  function nextAll(
    { from, to, times, values, has }: RowsAlong,
    out: Float64Array,
    present: Uint8Array,
  ): void {
    for (let row = from; row < to; row++) {
      if (has !== undefined && ((has[row >> 3]! >> (row & 7)) & 1) === 0) continue;
      const time = times[row]!;
      const value = values[row]!;
      if (!isFirst && (name !== 'derivative' || time > lastTime)) {
        if (name === 'previous') out[row] = last;
        else if (name === 'difference') out[row] = value - last;
        else out[row] = (value - last) / seconds(time - lastTime);
        present[row >> 3]! |= 1 << (row & 7);
      }
      isFirst = false;
      last = value;
      lastTime = time;
    }
  }

  return {
    next(time, value) {
      one.times[0] = time;
      one.values[0] = value;
      given.present[0] = 0;
      nextAll(one, given.values, given.present);
      return given.present[0] === 0 ? undefined : given.values[0]!;
    },
    nextAll,
    moveOrigin(by) {
      lastTime -= by;
    },
  };
}

/** What needs the row before; the first row has nothing. */
function withLast(
  give: (time: number, value: number, last: number, lastTime: number) => number | undefined,
): StreamState {
  let isFirst = true;
  let last = 0;
  let lastTime = 0;
  return {
    next(time, value) {
      const given = isFirst ? undefined : give(time, value, last, lastTime);
      isFirst = false;
      last = value;
      lastTime = time;
      return given;
    },
    moveOrigin(by) {
      lastTime -= by;
    },
  };
}

/** Over seconds, by trapezoids; 0 at the first row. */
function integral(): StreamState {
  let area = 0;
  const next = withLast((time, value, last, lastTime) => {
    area += ((value + last) / 2) * seconds(time - lastTime);
    return area;
  });
  return { ...next, next: (time, value) => next.next(time, value) ?? 0 };
}

function runningSum(): StreamState {
  let sum = 0;
  return {
    nextAll({ from, to, values, has }, out, present) {
      for (let row = from; row < to; row++) {
        if (has !== undefined && ((has[row >> 3]! >> (row & 7)) & 1) === 0) continue;
        sum += values[row]!;
        out[row] = sum;
        present[row >> 3]! |= 1 << (row & 7);
      }
    },
    next(_time, value) {
      sum += value;
      return sum;
    },
    moveOrigin() {},
  };
}

/** Of first order, for steps of any length: what a resistor and a capacitor do, the value being held from row to row. */
function lowpass(constant: number): StreamState {
  let level = 0;
  const next = withLast((time, value, _last, lastTime) => {
    level += (value - level) * -Math.expm1(-(time - lastTime) / constant);
    return level;
  });
  return {
    ...next,
    next(time, value) {
      const given = next.next(time, value);
      if (given === undefined) level = value;
      return given ?? value;
    },
  };
}
