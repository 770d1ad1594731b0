import { maxTimestamp, minTimestamp } from '../../../domain/timestamp.ts';
import {
  arrays,
  doubles,
  endsOf,
  integers,
  type NativeColumn,
  tuples,
  type Words,
  wordsOf,
  wordsOfNumbers,
} from './native-block.ts';
import type { WindowRows } from './window-rows.ts';

/**
 * The largest number of a window with sums: sums of larger ones might leave the doubles on their way
 * (`server/migrations/007-windows.ts`).
 */
export const largestSummed = 1e290;

/** What the values of one row of `windows` are without the values. */
interface Sums {
  /** How many values the sums are of: all or none. */
  readonly summed: number;
  /** How many are no NaN. */
  readonly reals: number;
  /** The sum of these values, and what its rounding lost. */
  readonly sums: readonly number[];
  readonly least: number;
  readonly greatest: number;
}

const nothing: Sums = {
  summed: 0,
  reals: 0,
  sums: [],
  least: Number.POSITIVE_INFINITY,
  greatest: Number.NEGATIVE_INFINITY,
};

/** The columns that tell of values without them, for the rows of `cut`. */
export function sumColumns(cut: readonly WindowRows[]): NativeColumn[] {
  const all = cut.flatMap(sumsOf);
  const ends = endsOf(all.map(({ sums }) => sums.length));
  return [
    integers('summed', 'UInt64', wordsOfNumbers(all.map(({ summed }) => summed))),
    integers('reals', 'UInt64', wordsOfNumbers(all.map(({ reals }) => reals))),
    arrays(ends, doubles('sums', Float64Array.from(all.flatMap(({ sums }) => sums)))),
    doubles(
      'least',
      Float64Array.from(all, ({ least }) => least),
    ),
    doubles(
      'greatest',
      Float64Array.from(all, ({ greatest }) => greatest),
    ),
    edgeColumn('oldest', cut, wordsOf(maxTimestamp), ({ first }) => first, 'first'),
    edgeColumn('newest', cut, wordsOf(minTimestamp), ({ last }) => last, 'last'),
  ];
}

function sumsOf({ series: { numbers }, rows }: WindowRows): Sums[] {
  if (numbers === undefined) return rows.map(() => nothing);
  let end = 0;
  return rows.map(({ count }) => {
    end += count;
    return sumOf(numbers.subarray(end - count, end));
  });
}

/** Neumaier's sum: what is lost by rounding is summed by itself. */
function sumOf(numbers: Float64Array): Sums {
  let { reals, least, greatest } = nothing;
  let sum = 0;
  let lost = 0;
  for (const number of numbers) {
    if (Number.isNaN(number)) continue;
    reals++;
    if (number < least) least = number;
    if (number > greatest) greatest = number;
    const next = sum + number;
    lost += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum;
    sum = next;
  }
  if (least < -largestSummed || greatest > largestSummed) return nothing;
  const sums = reals === 0 ? [] : lost === 0 ? [sum] : [sum, lost];
  return { summed: numbers.length, reals, sums, least, greatest };
}

/** The first or the last time of each row with the number of that time; `none` and 0 for texts. */
function edgeColumn(
  name: string,
  cut: readonly WindowRows[],
  none: Words,
  timeOf: (row: WindowRows['rows'][number]) => Words,
  edge: 'first' | 'last',
): NativeColumn {
  const rows = cut.reduce((sum, one) => sum + one.rows.length, 0);
  const times = new Uint32Array(2 * rows);
  const numbers = new Float64Array(rows);
  let at = 0;
  for (const { series, rows: ofSeries, pieces } of cut) {
    let value = 0;
    let piece = 0;
    for (const row of ofSeries) {
      const [low, high] = series.numbers === undefined ? none : timeOf(row);
      times[2 * at] = low;
      times[2 * at + 1] = high;
      for (let i = 0; i < row.pieces; i++, piece++) {
        const { count, [edge]: time } = pieces[piece]!;
        const isOfEdge = time[0] === low && time[1] === high;
        if (series.numbers !== undefined && isOfEdge) {
          numbers[at] = series.numbers[edge === 'first' ? value : value + count - 1]!;
        }
        value += count;
      }
      at++;
    }
  }
  return tuples(name, [integers('time', 'Int64', times), doubles('number', numbers)]);
}
