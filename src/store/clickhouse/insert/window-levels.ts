import { lengthsOfForm, windowLengths } from '../server/window-lengths.ts';
import { digitsOf } from './decimals.ts';
import type { SeriesValues } from './series-values.ts';

/**
 * Chooses the level of a series (`server/window-lengths.ts`): how long its windows are and how its numbers are kept. A row of `windows` should
 * have some 256 to 2560 values: with fewer its other columns cost too much, with more a read of a short time unpacks too
 * much. Lengths stand far apart, so the same density gives the same one on every node.
 *
 * The density is that of the times that a series is written with; of one whose values come one by one it is
 * known from the second on. Windows of long texts are shorter: each is read, merged and kept in memory whole. A level stays while the density is within about four times of what it is for, because windows of
 * two levels that overlap have to be told apart value by value. So do the digits of a series that is written with few values at a time.
 * What is known of a series is forgotten when many others were written since; then its next write chooses again.
 */
export interface WindowLevels {
  /** @param series its times rise */
  levelOf(series: SeriesValues): number;
}

/** Binary logarithms of the lengths. */
const lengths = windowLengths.map((length) => Math.log2(Number(length)));
/** Of a series of which a single value is known: an hour. */
const unknownLevel = windowLengths.indexOf(3_600_000_000_000n);
/** Binary logarithm of how many values a window should have at least, and how far from that its level stays. */
const wanted = 8;
const fewest = -2;
const most = 6;

/** Binary logarithm of the bytes that texts of a window should have, where that is less than the values that it should have. */
const wantedBytes = 20;

/** So many numbers tell by themselves how many digits they have; of fewer some may end in 0. */
const tellingDigits = 64;

/** As many values tell as much of the density as all that came before. */
const telling = 8;

/** The series that are known at least; twice as many are known at most: some 25 MB. */
const knownSeries = 50_000;

interface Known {
  level: number;
  /** The most digits behind the point that numbers have had. */
  digits: number;
  /** Binary logarithm of the ns between two values, as far as it is known. */
  gap: number | undefined;
  /** Binary logarithm of the bytes of a text; 0 of numbers. */
  size: number;
  /** The newest time that was written, as pairs of words. */
  low: number;
  high: number;
}

export function windowLevels(maxKnown = knownSeries): WindowLevels {
  let young = new Map<string, Known>();
  let old = new Map<string, Known>();

  function remember(key: string, known: Known): void {
    if (young.size >= maxKnown) {
      old = young;
      young = new Map();
    }
    young.set(key, known);
  }

  return {
    levelOf(series) {
      const key = [series.workspace, series.topic, series.stream, series.parameter, series.kind].join('\0');
      let known = young.get(key);
      if (known === undefined) {
        known = old.get(key) ?? {
          level: unknownLevel,
          digits: 0,
          gap: undefined,
          size: 0,
          low: 0,
          high: Number.NaN,
        };
        remember(key, known);
      }
      const wasKnown = known.gap !== undefined;
      learn(known, series);
      if (known.gap !== undefined) {
        const best = Math.max(0, Math.min(wanted, wantedBytes - known.size));
        const more = lengths[known.level]! - known.gap - best;
        if (!wasKnown || more < fewest || more > most) known.level = levelFor(known.gap + best);
      }
      return known.level + lengthsOfForm * formOf(known, series);
    },
  };
}

function formOf(known: Known, { numbers }: SeriesValues): number {
  if (numbers === undefined) return 0;
  const digits = digitsOf(numbers, numbers.length < tellingDigits ? known.digits : 0);
  if (digits === undefined) return 0;
  known.digits = Math.max(known.digits, digits);
  return 1 + digits;
}

function learn(known: Known, { times, count, texts }: SeriesValues): void {
  const low = times[2 * count - 2]!;
  const high = times[2 * count - 1]! | 0;
  const sinceNewest = (high - known.high) * 0x100000000 + (low - known.low);
  const gaps = count - 1;
  const span = gaps === 0 ? sinceNewest : (high - (times[1]! | 0)) * 0x100000000 + (low - times[0]!);
  // NaN of the first value, and of late ones nothing is learnt from a single time.
  if (span > 0) {
    const gap = Math.log2(span / Math.max(1, gaps));
    const share = Math.max(1, gaps) / (Math.max(1, gaps) + telling);
    known.gap = known.gap === undefined ? gap : known.gap + share * changeOf(known.gap, gap, gaps === 0);
  }
  if (texts !== undefined) {
    const size = Math.log2(Math.max(1, texts.bytes.length / count));
    known.size = Math.max(size, known.size + (count / (count + telling)) * (size - known.size));
  }
  if (!(sinceNewest <= 0)) {
    known.low = low;
    known.high = high;
  }
}

/** How much of a difference is believed: a single value may come after a pause, or twice at once. */
function changeOf(before: number, gap: number, isSingle: boolean): number {
  const change = gap - before;
  return isSingle ? Math.min(2, Math.max(-8, change)) : change;
}

/** The shortest length that is long enough. */
function levelFor(span: number): number {
  const level = lengths.findIndex((length) => length >= span);
  return level < 0 ? lengths.length - 1 : level;
}
