import { movingExtreme, movingMean } from './moving-window.ts';
import type { RunningFunction, WindowFunction } from './syntax.ts';

/** What a function remembers of the rows before, of one stream and one value of the tags of `over`. */
export interface StreamState {
  /**
   * Takes the value of a row and gives the function's; undefined where it has none. Times ascend or stay.
   * @param time nanoseconds since the origin
   */
  next(time: number, value: number): number | undefined;
  /** Moves the origin of times forward by so many nanoseconds: doubles hold those near it exactly. */
  moveOrigin(by: number): void;
}

/** What gives no value for rows without one; `fill` does, and is no state of this kind. */
export type AlongStream = Exclude<RunningFunction, 'fill'> | WindowFunction;

/** Functions that take rows from the first wanted one on only. */
export function beginsWithWanted(name: AlongStream): boolean {
  return name === 'integral' || name === 'sum';
}

/** @param width of a window, nanoseconds */
export function newState(name: AlongStream, width: number): StreamState {
  switch (name) {
    case 'previous':
      return withLast((_time, _value, last) => last);
    case 'difference':
      return withLast((_time, value, last) => value - last);
    case 'derivative':
      return withLast((time, value, last, lastTime) =>
        time > lastTime ? (value - last) / seconds(time - lastTime) : undefined,
      );
    case 'integral':
      return integral();
    case 'sum':
      return runningSum();
    case 'movingMean':
      return movingMean(width);
    case 'movingMin':
      return movingExtreme(width, 1);
    case 'movingMax':
      return movingExtreme(width, -1);
    case 'lowpass':
      return lowpass(width);
  }
}

function seconds(nanoseconds: number): number {
  return nanoseconds / 1e9;
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
