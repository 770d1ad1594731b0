import type { Client } from '../../../src/client/client.ts';
import { gapSpacings } from '../lines/gaps.ts';
import { allTime } from '../lines/time-text.ts';
import { loadByLap } from './by-lap.ts';
import { type CountedWish, loadBegin, loadBorder, loadSpacing } from './counted-borders.ts';
import { type Border, type Group, type KeptBorders, mostLines } from './lap-line.ts';
import type { LapRange } from './lap-ranges.ts';

/** The rows of each lap, and the lines between them. */
export async function loadCountedLaps(
  client: Client,
  wish: CountedWish,
  kept: KeptBorders,
  signal: AbortSignal,
): Promise<{ readonly groups: readonly Group[]; readonly lines: readonly Border['line'][] }> {
  const { ranges, channel, counted, distance, speed, stream } = wish;
  const [spacing, begin] = await Promise.all([
    ranges.length > 1 ? loadSpacing(client, wish, signal) : 0n,
    loadBegin(client, wish, signal),
  ]);
  const borders = await Promise.all(
    ranges.slice(1).map(async (next, i): Promise<Border> => {
      if (i >= mostLines) return { at: next.from, line: undefined };
      const key = [stream.topic, stream.streamId, channel, next.from, next.before, counted, distance].join(
        '\n',
      );
      const known = kept.get(key);
      if (known !== undefined) return known;
      const border = await loadBorder(client, wish, { lap: ranges[i]!, next, spacing }, signal);
      // Behind the last one rows may come that tell more.
      if (i < ranges.length - 2) kept.set(key, border);
      return border;
    }),
  );
  const begins = inOrder(ranges, [begin, ...borders.map(({ at }) => at)]);
  const laps = ranges.map(({ name }, i) => {
    const next = begins[i + 1];
    return { name, range: { from: begins[i]!, to: next === undefined ? allTime.to : next - 1n } };
  });
  const numericParameters = [
    ...[...new Set([counted, channel])].map((parameterName) => ({
      parameterName,
      aggregationType: 'Count' as const,
    })),
    ...(speed === undefined ? [] : [{ parameterName: speed, aggregationType: 'Max' as const }]),
  ];
  const answers = await loadByLap(client, stream, { ranges: laps }, { numericParameters }, signal);
  const groups = laps.map(({ name, range }, i): Group & { readonly counts: number } => {
    const own = answers.find(({ lap }) => lap === name);
    const { whyNotBegun, whyNotEnded } = ranges[i]!;
    return {
      value: name,
      first: range.from,
      rows: own?.numberOf(`count(${counted})`) ?? 0,
      topSpeed: own?.numberOf(`max(${speed})`),
      counts: own?.numberOf(`count(${channel})`) ?? 0,
      range,
      whyNotBegun,
      whyNotEnded,
    };
  });
  const lines = borders.map(({ line }, i) =>
    line == null && isCountLost(ranges[i]!, ranges[i + 1]!, groups[i]!.counts) ? null : line,
  );
  return { groups, lines };
}

/** When laps begin: each behind the one before it. */
function inOrder(ranges: readonly LapRange[], found: readonly bigint[]): bigint[] {
  const begins: bigint[] = [];
  for (const [i, { from }] of ranges.entries()) {
    const at = found[i]!;
    const before = begins.at(-1);
    begins.push(before === undefined || at > before ? at : from > before ? from : before + 1n);
  }
  return begins;
}

/** Fewer rows of a lap do not tell how far apart they are: the channel may be written where it changes alone. */
const fewCounts = 3;

/** Whether rows of the channel are missing where the count goes on: then nobody knows when it did. */
function isCountLost({ from }: LapRange, { from: at, before = at }: LapRange, counts: number): boolean {
  if (counts < fewCounts) return false;
  return Number(at - before) > (gapSpacings * Number(before - from)) / (counts - 1);
}
