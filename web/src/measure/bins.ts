import type { Client } from '../../../src/client/client.ts';
import { inShownUnit } from '../lines/expression.ts';
import type { RowsWish } from '../lines/rows-wish.ts';
import { roundNumbers, roundTo } from '../plots/number-ticks.ts';

/** How many rows of each wish have values in which bin. */
export interface Bins {
  /** A bin holds values from its edge on, up to the next one; so there is one edge more than bins. */
  readonly edges: readonly number[];
  /** Of each wish, per bin. */
  readonly counts: readonly (readonly number[])[];
  /** Of all wishes, how many rows are infinite: they are in no bin. */
  readonly infinite: number;
  /** The same of rows that have NaN. */
  readonly none: number;
}

/** About so many bins; a query calculates 100 columns at most. */
const usualBins = 30;

/** Counts rows by their values: the service does it, over all of them. Undefined where there is no number. */
export async function loadBins(
  client: Client,
  parameter: string,
  wishes: readonly RowsWish[],
  signal: AbortSignal,
): Promise<Bins | undefined> {
  const numericParameters = (['Min', 'Max'] as const).map((aggregationType) => ({
    parameterName: parameter,
    aggregationType,
  }));
  const reaches = await Promise.all(
    wishes.map(async ({ rows, range }) => {
      const { numericValues } = await client.query({ ...rows, ...range, numericParameters }, { signal });
      return [numericValues[`min(${parameter})`]?.[0], numericValues[`max(${parameter})`]?.[0]];
    }),
  );
  const ends = reaches.flat().filter((value) => value !== undefined && value !== null);
  if (ends.length === 0) return undefined;
  const [least, largest] = [Math.min(...ends), Math.max(...ends)];
  if (Number.isFinite(least) && Number.isFinite(largest))
    return countBins(client, parameter, edgesOf(least, largest), wishes, signal);
  return countFinite(client, parameter, wishes, signal);
}

/** The same where rows are infinite: bins are of the others. */
async function countFinite(
  client: Client,
  parameter: string,
  wishes: readonly RowsWish[],
  signal: AbortSignal,
): Promise<Bins | undefined> {
  // An infinity times 0 is no number, and what is none counts for nothing.
  const found = await Promise.all(
    wishes.map(async ({ rows, range }) => {
      const own = inShownUnit(parameter, rows);
      const finite = { name: 'finite', expression: `${own} + 0 * ${own}` };
      const edge = Number.MAX_VALUE;
      const infinite = { name: 'infinite', expression: `${own} < ${-edge} || ${own} > ${edge}` };
      const calculatedParameters = [
        { ...finite, aggregationType: 'Min' as const },
        { ...finite, aggregationType: 'Max' as const },
        { ...infinite, aggregationType: 'Sum' as const },
        noneOf(own),
      ];
      return (await client.query({ ...rows, ...range, calculatedParameters }, { signal })).numericValues;
    }),
  );
  const ends = found
    .flatMap((values) => [values['min(finite)']?.[0], values['max(finite)']?.[0]])
    .filter((value) => value !== undefined && value !== null && Number.isFinite(value)) as number[];
  const sum = (name: string) => found.reduce((sum, values) => sum + (values[`sum(${name})`]?.[0] ?? 0), 0);
  const [infinite, none] = [sum('infinite'), sum('none')];
  if (ends.length === 0) return { edges: [0, 1], counts: wishes.map(() => [0]), infinite, none };
  const edges = edgesOf(Math.min(...ends), Math.max(...ends));
  return { ...(await countBins(client, parameter, edges, wishes, signal)), infinite };
}

/** How many rows have NaN, which is not what it is itself. */
function noneOf(own: string) {
  return { name: 'none', expression: `${own} != ${own}`, aggregationType: 'Sum' as const };
}

/** The same between edges that are known. */
export async function countBins(
  client: Client,
  parameter: string,
  edges: readonly number[],
  wishes: readonly RowsWish[],
  signal: AbortSignal,
): Promise<Bins> {
  let none = 0;
  const counts = await Promise.all(
    wishes.map(async ({ rows, range }) => {
      const own = inShownUnit(parameter, rows);
      const inBins = edges.slice(1).map((end, bin) => ({
        name: `bin ${bin}`,
        // There is no edge above the largest double.
        expression: `${own} >= ${edges[bin]!} && ${own} ${end === Number.MAX_VALUE ? '<=' : '<'} ${end}`,
        aggregationType: 'Sum' as const,
      }));
      const calculatedParameters = [...inBins, noneOf(own)];
      const { numericValues } = await client.query({ ...rows, ...range, calculatedParameters }, { signal });
      none += numericValues['sum(none)']?.[0] ?? 0;
      return inBins.map(({ name }) => numericValues[`sum(${name})`]?.[0] ?? 0);
    }),
  );
  return { edges, counts, infinite: 0, none };
}

/** About so many bins between round numbers, the first not above the least value, the last above the largest. Infinities are in no bin. */
export function edgesOf(least: number, largest: number, bins = usualBins): number[] {
  const most = Number.MAX_VALUE;
  const [low, high] = [Math.max(least, -most), Math.min(largest, most)];
  // An edge more would be no double.
  if (Math.max(-low, high) > most / 4)
    return edgesOf(low / 10, high / 10, bins).map((edge) => Math.max(-most, Math.min(most, edge * 10)));
  const isWhole = Number.isSafeInteger(low) && Number.isSafeInteger(high) && high - low <= bins;
  if (low === high && !isWhole) {
    const half = Math.max(Math.abs(low) * 1e-6, Number.MIN_VALUE * 4);
    return [low - half, low + half];
  }
  const within = isWhole
    ? Array.from({ length: high - low + 1 }, (_, i) => low + i)
    : roundNumbers([low, high], bins);
  // Doubles that are next to each other: all of them are in one bin.
  if (within.length < 2 && !isWhole)
    return [low, high + Math.max(Math.abs(high) * 2 ** -52, Number.MIN_VALUE)];
  const step = isWhole ? 1 : within[1]! - within[0]!;
  const round = (value: number) => roundTo(step, value);
  const before = within[0]! > low ? [round(within[0]! - step)] : [];
  return [...before, ...within, round(within.at(-1)! + step)];
}
