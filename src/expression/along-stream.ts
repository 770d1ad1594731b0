import { setPresent } from '../domain/presence.ts';
import { movingExtreme } from './moving-extreme.ts';
import { movingMean } from './moving-mean.ts';
import type { StreamState } from './stream-state.ts';
import type { RunningFunction, WindowFunction } from './syntax.ts';
import { type ValueRoom, valuesOfState } from './value-room.ts';

/** What gives no value for rows without one; `fill` does, and is no state of this kind. Nor is `smooth`, which looks ahead. */
export type AlongStream = Exclude<RunningFunction, 'fill'> | Exclude<WindowFunction, 'smooth'>;

/** Functions that take rows from the first wanted one on only. */
export function beginsWithWanted(name: AlongStream): boolean {
  return name === 'integral' || name === 'sum';
}

/** @param width of a window, nanoseconds */
export function newState(name: AlongStream, width: number, room: ValueRoom): StreamState {
  room.take(valuesOfState);
  switch (name) {
    case 'previous':
      return previous();
    case 'difference':
      return difference();
    case 'derivative':
      return derivative();
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

// One loop for each function, over rows that all have a value: one that calls a function for each row, or asks for the
// presence of each, takes several times as long.

function previous(): StreamState {
  let isFirst = true;
  let last = 0;
  return {
    nextAll({ from, to, values }, out, present) {
      if (from === to) return 0;
      const begin = isFirst ? from + 1 : from;
      if (!isFirst) out[from] = last;
      for (let row = from + 1; row < to; row++) out[row] = values[row - 1]!;
      isFirst = false;
      last = values[to - 1]!;
      setPresent(present, begin, to);
      return to - begin;
    },
    moveOrigin() {},
    size: () => 2,
    save: () => [Number(isFirst), last],
    restore(saved) {
      isFirst = saved[0] === 1;
      last = saved[1]!;
    },
  };
}

function difference(): StreamState {
  let isFirst = true;
  let last = 0;
  return {
    nextAll({ from, to, values }, out, present) {
      if (from === to) return 0;
      const begin = isFirst ? from + 1 : from;
      let before = isFirst ? values[from]! : last;
      for (let row = begin; row < to; row++) {
        const value = values[row]!;
        out[row] = value - before;
        before = value;
      }
      isFirst = false;
      last = before;
      setPresent(present, begin, to);
      return to - begin;
    },
    moveOrigin() {},
    size: () => 2,
    save: () => [Number(isFirst), last],
    restore(saved) {
      isFirst = saved[0] === 1;
      last = saved[1]!;
    },
  };
}

/** Steps of time are mostly of one length. */
interface UsualStep {
  nanoseconds: number;
  seconds: number;
}

function derivative(): StreamState {
  const usual: UsualStep = { nanoseconds: 0, seconds: 0 };
  let isFirst = true;
  let last = 0;
  let lastTime = 0;
  return {
    nextAll({ from, to, times, values }, out, present) {
      if (from === to) return 0;
      let begin = from;
      if (isFirst) {
        last = values[begin]!;
        lastTime = times[begin]!;
        isFirst = false;
        begin++;
      }
      let [before, timeBefore] = [last, lastTime];
      let { nanoseconds, seconds } = usual;
      setPresent(present, begin, to);
      let missing = 0;
      for (let row = begin; row < to; row++) {
        const time = times[row]!;
        const value = values[row]!;
        const step = time - timeBefore;
        if (step !== nanoseconds) {
          nanoseconds = step;
          seconds = step / 1e9;
        }
        if (step === 0) {
          present[row >> 3]! &= ~(1 << (row & 7));
          missing++;
        }
        out[row] = (value - before) / seconds;
        before = value;
        timeBefore = time;
      }
      [last, lastTime] = [before, timeBefore];
      usual.nanoseconds = nanoseconds;
      usual.seconds = seconds;
      return to - begin - missing;
    },
    moveOrigin(by) {
      lastTime -= by;
    },
    size: () => 3,
    save: () => [Number(isFirst), last, lastTime],
    restore(saved) {
      isFirst = saved[0] === 1;
      last = saved[1]!;
      lastTime = saved[2]!;
    },
  };
}

/** Over seconds, by trapezoids; 0 at the first row. */
function integral(): StreamState {
  const usual: UsualStep = { nanoseconds: 0, seconds: 0 };
  let isFirst = true;
  let last = 0;
  let lastTime = 0;
  let area = 0;
  return {
    nextAll({ from, to, times, values }, out, present) {
      if (from === to) return 0;
      let begin = from;
      if (isFirst) {
        out[begin] = area;
        last = values[begin]!;
        lastTime = times[begin]!;
        isFirst = false;
        begin++;
      }
      let [sum, before, timeBefore] = [area, last, lastTime];
      let { nanoseconds, seconds } = usual;
      for (let row = begin; row < to; row++) {
        const time = times[row]!;
        const value = values[row]!;
        const step = time - timeBefore;
        if (step !== nanoseconds) {
          nanoseconds = step;
          seconds = step / 1e9;
        }
        sum += ((value + before) / 2) * seconds;
        out[row] = sum;
        before = value;
        timeBefore = time;
      }
      [area, last, lastTime] = [sum, before, timeBefore];
      usual.nanoseconds = nanoseconds;
      usual.seconds = seconds;
      setPresent(present, from, to);
      return to - from;
    },
    moveOrigin(by) {
      lastTime -= by;
    },
    size: () => 4,
    save: () => [Number(isFirst), last, lastTime, area],
    restore(saved) {
      isFirst = saved[0] === 1;
      last = saved[1]!;
      lastTime = saved[2]!;
      area = saved[3]!;
    },
  };
}

function runningSum(): StreamState {
  let total = 0;
  return {
    nextAll({ from, to, values }, out, present) {
      let sum = total;
      for (let row = from; row < to; row++) {
        sum += values[row]!;
        out[row] = sum;
      }
      total = sum;
      setPresent(present, from, to);
      return to - from;
    },
    moveOrigin() {},
    size: () => 1,
    save: () => [total],
    restore(saved) {
      total = saved[0]!;
    },
  };
}

/** Of first order, for steps of any length: what a resistor and a capacitor do, the value being held from row to row. */
function lowpass(constant: number): StreamState {
  let isFirst = true;
  let level = 0;
  let lastTime = 0;
  // Steps are mostly of one length.
  let usualStep = 0;
  let usualShare = 0;
  return {
    nextAll({ from, to, times, values }, out, present) {
      if (from === to) return 0;
      let begin = from;
      if (isFirst) {
        level = values[begin]!;
        lastTime = times[begin]!;
        out[begin] = level;
        isFirst = false;
        begin++;
      }
      let [filtered, timeBefore] = [level, lastTime];
      let [nanoseconds, share] = [usualStep, usualShare];
      for (let row = begin; row < to; row++) {
        const time = times[row]!;
        const step = time - timeBefore;
        if (step !== nanoseconds) {
          nanoseconds = step;
          share = -Math.expm1(-step / constant);
        }
        filtered += (values[row]! - filtered) * share;
        out[row] = filtered;
        timeBefore = time;
      }
      [level, lastTime] = [filtered, timeBefore];
      [usualStep, usualShare] = [nanoseconds, share];
      setPresent(present, from, to);
      return to - from;
    },
    moveOrigin(by) {
      lastTime -= by;
    },
    size: () => 3,
    save: () => [Number(isFirst), level, lastTime],
    restore(saved) {
      isFirst = saved[0] === 1;
      level = saved[1]!;
      lastTime = saved[2]!;
    },
  };
}
