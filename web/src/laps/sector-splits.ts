import type { Client } from '../../../src/client/client.ts';
import { isCalculated } from '../lines/calculated.ts';
import { inShownUnit, quotedName } from '../lines/expression.ts';
import { numberText } from '../lines/reading.ts';
import { mostSectors } from '../state/sector-texts.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { type ByLap, loadByLap } from './by-lap.ts';
import type { LapRow } from './lap-rows.ts';
import { byTime, type LapWay, type LapWays, wayOf } from './lap-ways.ts';
import type { SplitLap } from './sector-times.ts';

export interface SplitWish {
  readonly stream: StreamRef;
  /** Laps of the stream in order of time, and how its rows are told apart by them. */
  readonly laps: readonly LapRow[];
  readonly by: ByLap;
}

/** What ends no sector; the service leaves it out of a least value. */
const nothing = '0 / 0';
/** A silence of more than so many usual spacings is a gap, as in the plots. */
const gapSpacings = 5;

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
    return { lap, ends: [...ends, endOf(lap)], whyNoEnd: [...whyNoEnd, lap.whyPart] };
  });
}

function placeOf({ topic, streamId }: StreamRef) {
  return { topic, streamIds: [streamId] };
}

function whyNotPassed(lap: LapRow, way: LapWay | undefined, channel: string, mark: number): string {
  if (!lap.isBegun && lap.whyPart !== undefined) return lap.whyPart;
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

/** So many beacons of a lap are looked for. */
const mostBeacons = mostSectors - 1;

/** When each lap passed a beacon: there the channel rises, as one that counts sectors does, or one that is 1 at a beacon. */
export async function loadRiseSplits(
  client: Client,
  wish: SplitWish,
  channel: string,
  signal: AbortSignal,
): Promise<SplitLap[]> {
  const { stream, laps, by } = wish;
  const name = quotedName(channel);
  // What is calculated of a stretch of time begins anew in it.
  const inLap = (expression: string) =>
    'tag' in by ? `over(${expression}, '${by.tag.replaceAll("'", "''")}')` : expression;
  const rises = inLap(`sum(difference(${name}) > 0)`);
  const calculatedParameters = [{ name: 'rises', expression: rises, aggregationType: 'Max' as const }];
  const answers = await loadByLap(client, stream, by, { calculatedParameters }, signal);
  const ofLap = new Map(answers.map(({ lap, numberOf }) => [lap, numberOf('max(rises)') ?? 0]));
  const most = Math.min(mostBeacons, Math.max(0, ...laps.map(({ value }) => ofLap.get(value) ?? 0)));
  const since = sinceFirst(channel);
  const nth = (n: number) =>
    `${rises} == ${n} && ${inLap(`difference(${name})`)} > 0 ? ${since} : ${nothing}`;
  const found = await loadLeast(
    client,
    wish,
    channel,
    Array.from({ length: most }, (_, i) => nth(i + 1)),
    signal,
  );
  return sameCount(laps, (lap) => (found.get(lap.value) ?? []).filter((end) => end !== undefined));
}

/** When events of one kind came in each lap. */
export async function loadEventSplits(
  client: Client,
  { stream, laps }: SplitWish,
  id: string,
  signal: AbortSignal,
): Promise<SplitLap[]> {
  const [first, last] = [laps[0], laps.at(-1)];
  if (first === undefined || last === undefined) return [];
  const found = await client.eventData(
    { topic: stream.topic, streamIds: [stream.streamId], eventIds: [id], from: first.start, to: last.end },
    { signal },
  );
  const times = (found[id] ?? []).map(({ timestamp }) => timestamp).sort((a, b) => (a < b ? -1 : 1));
  return sameCount(laps, ({ start, end }) =>
    times.filter((time) => time >= start && time < end).map((time) => Number(time - start) / 1e9),
  );
}

/** A beacon at the line itself ends no sector, seconds. */
const atLine = 0.25;

/** Sectors are the same in every lap: one with another number of beacons than most has none that could be told. */
function sameCount(laps: readonly LapRow[], endsOf: (lap: LapRow) => readonly number[]): SplitLap[] {
  const split = laps.map((lap) => {
    const whole = Number(lap.end - lap.start) / 1e9;
    const ends = endsOf(lap).filter((end) => end > atLine && (!lap.isWhole || end < whole - atLine));
    return { lap, ends: [...new Set(ends)].sort((a, b) => a - b).slice(0, mostBeacons) };
  });
  const usual = mostOften(split.filter(({ lap }) => lap.isWhole).map(({ ends }) => ends.length));
  return split.map(({ lap, ends }) => {
    // One that is being driven may have the first ones.
    const isUsual = ends.length === usual || (!lap.isWhole && lap.isBegun && ends.length < usual);
    const all = Array.from({ length: usual }, (_, i) => (isUsual && lap.isBegun ? ends[i] : undefined));
    const whyNot = isUsual ? undefined : `${ends.length} of ${usual} beacons`;
    return { lap, ends: [...all, isUsual ? endOf(lap) : undefined], ...(whyNot !== undefined && { whyNot }) };
  });
}

function mostOften(numbers: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const own of numbers) counts.set(own, (counts.get(own) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
}

function endOf(lap: LapRow): number | undefined {
  return lap.isWhole ? Number(lap.end - lap.start) / 1e9 : undefined;
}

/** Seconds since the first row of the stream that has a number. */
function sinceFirst(channel: string): string {
  return `integral(${quotedName(channel)} * 0 + 1)`;
}

/** Of each lap the least value of each expression, which are seconds since its channel's first row, from the begin of the lap. */
async function loadLeast(
  client: Client,
  { stream, by, laps }: SplitWish,
  channel: string,
  expressions: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, (number | undefined)[]>> {
  const found = new Map<string, (number | undefined)[]>();
  if (expressions.length === 0) return found;
  const calculatedParameters = ['first', ...expressions].map((expression, i) => ({
    name: String(i),
    expression: i === 0 ? sinceFirst(channel) : expression,
    aggregationType: 'Min' as const,
  }));
  const answers = await loadByLap(client, stream, by, { calculatedParameters }, signal);
  const loads = answers.map(async ({ lap: value, first, numberOf }) => {
    const lap = laps.find((own) => own.value === value);
    const atFirst = numberOf('min(0)');
    if (lap === undefined || atFirst === undefined) return;
    // A stretch of time may begin before its first row.
    const range = 'ranges' in by ? by.ranges.find(({ name }) => name === value)?.range : undefined;
    const from = range && (await firstRow(client, stream, range, channel, signal));
    const offset = Number((from ?? first) - lap.start) / 1e9 - atFirst;
    found.set(
      lap.value,
      expressions.map((_, i) => {
        const at = numberOf(`min(${i + 1})`);
        return at === undefined || !lap.isBegun ? undefined : at + offset;
      }),
    );
  });
  await Promise.all(loads);
  return found;
}

async function firstRow(
  client: Client,
  { topic, streamId }: StreamRef,
  range: TimeRange,
  channel: string,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const numericParameters = [{ parameterName: channel }];
  const query = { topic, streamIds: [streamId], ...range, numericParameters, limit: 1 };
  return (await client.page(query, { signal })).data.timestamps[0];
}
