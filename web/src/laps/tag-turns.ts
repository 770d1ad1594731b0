import type { Client } from '../../../src/client/client.ts';
import { bucketFor } from '../lines/point-load.ts';
import { allTime } from '../lines/time-text.ts';
import type { TimeRange } from '../state/view-text.ts';
import type { Group, TaggedWish } from './lap-line.ts';

/** A stretch of time in which rows have a value of a tag, and no other laps lie between them. */
export interface Turn extends Pick<Group, 'value' | 'first' | 'last' | 'whyNotBegun' | 'whyNotEnded'> {
  readonly tagged: string;
  readonly range: TimeRange;
  /** Whether the value has no other. */
  readonly isOnly: boolean;
}

/** Laps that are shorter than such a share of the run do not part two turns. */
const mostBuckets = 2048;
/** A tag that has more turns counts no laps: each value has all of its rows. */
const mostTurns = 300;

/**
 * Of a run of which values of the tag come again behind others, as where it has two sessions: each turn of each value, in order
 * of time. Undefined of a run of which none does, or very many do.
 */
export async function loadTurns(
  client: Client,
  { stream: { topic, streamId }, tag, counted }: TaggedWish,
  groups: readonly Group[],
  end: bigint,
  signal: AbortSignal,
): Promise<Turn[] | undefined> {
  const [first, second] = groups;
  if (first === undefined || second === undefined || first.first >= end) return undefined;
  const run = { topic, streamIds: [streamId] };
  const bucket = bucketFor({ from: first.first, to: end }, mostBuckets);
  const { timestamps, tagValues } = await client.query(
    {
      ...run,
      from: first.first,
      to: end,
      numericParameters: [{ parameterName: counted, aggregationType: 'Count' }],
      groupBy: [tag],
      groupByTime: { timeBucketDuration: bucket },
    },
    { signal },
  );
  const found = turnsOf(timestamps.map((time, row) => ({ time, value: tagValues[tag]?.[row] ?? null })));
  const counts = new Map<string, number>();
  for (const { value } of found) counts.set(value, (counts.get(value) ?? 0) + 1);
  const isAgain = [...counts.values()].some((count) => count > 1);
  if (!isAgain || found.length > mostTurns) return undefined;
  /** Time of the first or the last row of a value in a range. */
  const rowOf = async (value: string, range: Partial<TimeRange>, order: 'Asc' | 'Desc') => {
    const rows = { ...range, tagFilters: [{ tag, value }], numericParameters: [{ parameterName: counted }] };
    return (await client.page({ ...run, ...rows, order, limit: 1 }, { signal })).data.timestamps[0];
  };
  const firstOf = async ({ value, from }: FoundTurn): Promise<bigint> => {
    const known = groups.find(({ tagged }) => tagged === value)!.first;
    if (known >= from && known < from + bucket) return known;
    return (await rowOf(value, { from }, 'Asc')) ?? from;
  };
  const firsts = await Promise.all(found.map(firstOf));
  const turns = found
    .map((turn, i) => ({ ...turn, first: firsts[i]! }))
    .sort((a, b) => (a.first < b.first ? -1 : 1));
  const names = namesOf(turns.map(({ value }) => value));
  return Promise.all(
    turns.map(async ({ value, first, last }, i): Promise<Turn> => {
      const [before, next] = [turns[i - 1], turns[i + 1]];
      const range = { from: first, to: next === undefined ? allTime.to : last + bucket - 1n };
      const whyNotEnded = next && whyNoLine(value, next.value, 'ends');
      return {
        value: names[i]!,
        tagged: value,
        first,
        last: whyNotEnded === undefined ? undefined : await rowOf(value, range, 'Desc'),
        range,
        isOnly: counts.get(value) === 1,
        whyNotBegun: before && whyNoLine(before.value, value, 'begins'),
        whyNotEnded,
      };
    }),
  );
}

/** The first bucket of a turn, and the last one. */
interface FoundTurn {
  readonly value: string;
  readonly from: bigint;
  readonly last: bigint;
}

/** Turns of values, by the buckets that have rows of them: one ends where a bucket has other laps alone. */
export function turnsOf(
  rows: readonly { readonly time: bigint; readonly value: string | null }[],
): FoundTurn[] {
  const turns: { value: string; from: bigint; last: bigint; place: number }[] = [];
  const open = new Map<string, (typeof turns)[number]>();
  let place = -1;
  let at: bigint | undefined;
  for (const { time, value } of rows.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))) {
    if (value === null) continue;
    if (time !== at) place++;
    at = time;
    const known = open.get(value);
    if (known !== undefined && place - known.place <= 1) {
      known.last = time;
      known.place = place;
      continue;
    }
    const turn = { value, from: time, last: time, place };
    turns.push(turn);
    open.set(value, turn);
  }
  return turns.map(({ value, from, last }) => ({ value, from, last }));
}

/** `1`, and where it comes again `1 (2)`, unless a value of the tag is called so. */
function namesOf(values: readonly string[]): string[] {
  const taken = new Set(values);
  const seen = new Set<string>();
  return values.map((value) => {
    if (!seen.has(value)) {
      seen.add(value);
      return value;
    }
    let turn = 2;
    while (taken.has(`${value} (${turn})`)) turn++;
    const name = `${value} (${turn})`;
    taken.add(name);
    return name;
  });
}

/** Where a number is less than the one before it, counting began anew: no line was crossed, or nobody knows where. */
function whyNoLine(from: string, to: string, verb: string): string | undefined {
  if (!(Number(to) <= Number(from))) return undefined;
  return `Not whole: laps go from ${from} to ${to} where it ${verb}.`;
}
