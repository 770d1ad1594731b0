import type { Client } from '../../../src/client/client.ts';
import { quotedName } from '../lines/expression.ts';
import { mostSectors } from '../state/sector-texts.ts';
import { loadByLap } from './by-lap.ts';
import type { LapRow } from './lap-rows.ts';
import { endOf, loadLeast, nothing, type SplitWish, sinceFirst } from './least-splits.ts';
import type { SplitLap } from './sector-times.ts';

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
