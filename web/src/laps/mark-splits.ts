import type { Client } from '../../../src/client/client.ts';
import { isCalculated } from '../lines/calculated.ts';
import { inShownUnit, quotedName } from '../lines/expression.ts';
import { gapSpacings } from '../lines/gaps.ts';
import { numberText } from '../lines/reading.ts';
import type { StreamRef } from '../state/view-text.ts';
import { loadByLap } from './by-lap.ts';
import type { LapRow } from './lap-rows.ts';
import { byTime, type LapWay, type LapWays, wayOf } from './lap-ways.ts';
import { endOf, loadLeast, nothing, type SplitWish, sinceFirst } from './least-splits.ts';
import type { SplitLap } from './sector-times.ts';

/**
 * When each lap passed marks along its way: between the two rows around a mark, on the straight line. The service goes
 * through all rows of the stream and gives one number for each lap and mark.
 */
export async function loadMarkSplits(
  client: Client,
  wish: SplitWish,
  ways: LapWays,
  marks: readonly number[],
  signal: AbortSignal,
): Promise<SplitLap[]> {
  const { stream, laps } = wish;
  const { channel } = ways;
  const { numericValues } = await client.query(
    {
      ...placeOf(stream),
      numericParameters: [{ parameterName: channel, aggregationType: 'Count' }],
    },
    { signal },
  );
  const count = numericValues[`count(${channel})`]?.[0] ?? 0;
  const seconds = Number((laps.at(-1)?.end ?? 0n) - (laps[0]?.start ?? 0n)) / 1e9;
  const gap = (gapSpacings * seconds) / Math.max(1, count);
  const [place, since] = [inShownUnit(channel, placeOf(stream)), sinceFirst(channel)];
  const crossing = (mark: number) =>
    `previous(${place}) < ${mark} && ${place} >= ${mark} && difference(${since}) < ${gap}` +
    ` ? ${since} - (${place} - ${mark}) * difference(${since}) / difference(${place}) : ${nothing}`;
  const found = async (part: SplitWish, origin: number) =>
    loadLeast(
      client,
      part,
      channel,
      marks.map((mark) => crossing(mark + origin)),
      signal,
    );
  // Marks are at other values in each lap, or the values begin anew in each.
  const isEachItsOwn = isCalculated(channel) || laps.some((lap) => wayOf(ways, lap)?.isFromStart);
  const parts = isEachItsOwn ? laps.map((lap) => ({ stream, laps: [lap], by: byTime([lap]) })) : [wish];
  const [backAndForth, ...splits] = await Promise.all([
    lapsBackAndForth(client, isEachItsOwn ? { ...wish, by: byTime(laps) } : wish, channel, signal),
    ...parts.map((part) => found(part, isEachItsOwn ? (wayOf(ways, part.laps[0]!)?.origin ?? 0) : 0)),
  ]);
  const passed = new Map(splits.flatMap((own) => [...own]));
  return laps.map((lap) => {
    const isOneWay = !backAndForth.has(lap.value);
    const ends = marks.map((_, i) => (isOneWay ? passed.get(lap.value)?.[i] : undefined));
    const whyNoEnd = marks.map((mark, i) => {
      if (ends[i] !== undefined) return undefined;
      return isOneWay || !lap.isBegun
        ? whyNotPassed(lap, wayOf(ways, lap), channel, mark)
        : `${channel} goes back and forth in this lap.`;
    });
    return { lap, ends: [...ends, endOf(lap)], whyNoEnd: [...whyNoEnd, lap.whyNotWhole] };
  });
}

function placeOf({ topic, streamId }: StreamRef) {
  return { topic, streamIds: [streamId] };
}

function whyNotPassed(lap: LapRow, way: LapWay | undefined, channel: string, mark: number): string {
  if (!lap.isBegun && lap.whyNotWhole !== undefined) return lap.whyNotWhole;
  if (way === undefined) return `No row of this lap has ${channel}.`;
  if (way.end < mark) return `In this lap ${channel} ends at ${numberText(way.end)}, before ${mark}.`;
  return `No rows of ${channel} are near ${mark} on both sides.`;
}

/** A lap that falls by more than this share of what it rises goes back and forth, as for times along it. */
const mostFall = 0.01;

/** Laps in which a channel is no way that is covered. One fall is that to the begin of the lap. */
async function lapsBackAndForth(
  client: Client,
  { stream, by }: SplitWish,
  channel: string,
  signal: AbortSignal,
): Promise<Set<string | null>> {
  const grown = `difference(${quotedName(channel)})`;
  const [rise, fall] = [`max(${grown}, 0)`, `max(0 - ${grown}, 0)`];
  const calculatedParameters = [
    { name: 'rise', expression: rise, aggregationType: 'Sum' as const },
    { name: 'fall', expression: fall, aggregationType: 'Sum' as const },
    { name: 'most', expression: fall, aggregationType: 'Max' as const },
  ];
  const answers = await loadByLap(client, stream, by, { calculatedParameters }, signal);
  const found = answers.filter(({ numberOf }) => {
    const fallen = (numberOf('sum(fall)') ?? 0) - (numberOf('max(most)') ?? 0);
    return fallen > mostFall * ((numberOf('sum(rise)') ?? 0) - fallen);
  });
  return new Set(found.map(({ lap }) => lap));
}
