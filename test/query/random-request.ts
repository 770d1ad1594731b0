import type { Random } from '../store/embedded/random.ts';
import { anchors, clampTime, parameters, streamIds, tagValues, topicSpellings } from './random-data.ts';
import type { DataRequest, ValueKind } from './reference.ts';
import type { RangeToDelete, StreamSelection } from './reference-data.ts';
import type { TagCondition } from './reference-tags.ts';

const numberAggregations = [
  'Mean',
  'Max',
  'Min',
  'First',
  'Last',
  'Sum',
  'Count',
  'Median',
  'Spread',
  'StdDev',
  'Mode',
  'P50',
  'P90',
  'P95',
  'P99',
];
const textAggregations = ['First', 'Last', 'Count'];
const second = 1_000_000_000n;
const widths = [
  1n,
  7n,
  1000n,
  second / 10n,
  second,
  7n * second,
  60n * second,
  3600n * second,
  86_400n * second,
  2n ** 50n,
  31_557_600n * second,
  3_155_760_000n * second,
  2n ** 63n - 1n,
];

/** A request of all features at once, each by chance; `times` are those of some rows. */
export function randomRequest(random: Random, times: readonly bigint[]): DataRequest {
  const isRaw = random.chance(0.25);
  const buckets = !isRaw && random.chance(0.75);
  const width = random.pick(widths);
  return {
    ...randomParameters(random, isRaw),
    ...randomRange(random, times, buckets ? width : undefined),
    ...selection(random),
    ...(random.chance(0.35) && { tagFilters: repeat(random, 1, 2, () => randomCondition(random)) }),
    ...(random.chance(0.5) && {
      groupBy: repeat(random, 0, 3, () =>
        random.pick([...Object.keys(tagValues), 'streamId', 'topic', 'none']),
      ),
    }),
    ...(buckets && {
      groupByTime: {
        timeBucketDuration: width,
        ...(random.chance(0.8) && {
          interpolationType: anyCase(
            random,
            random.pick(['None', 'Linear', 'Linear', 'Null', 'Previous', 'Zero']),
          ),
        }),
      },
    }),
    ...(random.chance(0.5) && { order: anyCase(random, random.pick(['Asc', 'Desc'])) }),
  };
}

/** Which streams a request is about; also what deletes select by. */
function selection(random: Random): Pick<DataRequest, 'streamIds' | 'topic'> {
  return {
    ...(random.chance(0.4) && {
      streamIds: repeat(random, 1, 3, () => random.pick([...streamIds, 'unknown'])),
    }),
    ...(random.chance(0.4) && { topic: random.pick([...topicSpellings, 'trains']) }),
  };
}

function randomParameters(random: Random, isRaw: boolean): Partial<DataRequest> {
  const lists: Record<ValueKind, { parameterName: string; aggregationType?: string }[]> = {
    numeric: [],
    string: [],
    binary: [],
  };
  const counted = new Set<string>();
  const chosen = repeat(random, 1, 5, () =>
    random.chance(0.05)
      ? { kind: random.pick(['numeric', 'string', 'binary'] as const), name: 'nothing' }
      : random.pick(parameters),
  );
  for (const { kind, name } of chosen) {
    const known = kind === 'numeric' ? numberAggregations : textAggregations;
    const aggregation = isRaw ? random.pick([undefined, 'None']) : random.pick(known);
    // A count of a number and one of a text by the same name would be two columns of one name.
    if (aggregation === 'Count' && counted.has(name)) continue;
    if (aggregation === 'Count') counted.add(name);
    lists[kind].push({
      parameterName: name,
      ...(aggregation !== undefined && { aggregationType: anyCase(random, aggregation) }),
    });
  }
  return {
    ...(lists.numeric.length > 0 && { numericParameters: lists.numeric }),
    ...(lists.string.length > 0 && { stringParameters: lists.string }),
    ...(lists.binary.length > 0 && { binaryParameters: lists.binary }),
  };
}

/** Bounds near the data, at whole buckets and beside them. */
function randomRange(
  random: Random,
  times: readonly bigint[],
  width: bigint | undefined,
): { from?: bigint; to?: bigint } {
  const { from, to } = bounds(random, times, random.pick([width ?? 1n, 1n, second]));
  const share = width === undefined ? 0.6 : 0.85;
  return {
    ...(random.chance(share) && { from }),
    ...(random.chance(share) && { to }),
  };
}

function bounds(random: Random, times: readonly bigint[], unit: bigint): { from: bigint; to: bigint } {
  const around = random.pick(anchors) + BigInt(random.int(-400, 100)) * unit + BigInt(random.int(-1, 1));
  const from = times.length > 0 && random.chance(0.4) ? random.pick(times) : clampTime(around);
  const to = clampTime(from + BigInt(random.pick([0, 1, 10, 300, 700])) * unit);
  const within = times.filter((time) => time >= from && time <= to);
  return { from, to: within.length > 0 && random.chance(0.4) ? random.pick(within) : to };
}

function randomCondition(random: Random): TagCondition {
  const tag = random.pick([...Object.keys(tagValues), 'none']);
  const operator = random.pick(['Equal', 'NotEqual', 'Like', 'NotLike']);
  const value = () =>
    operator.endsWith('Like')
      ? random.pick(['^[24]$', '2', 'o', '^..?$', '(one|two)', '^$', '[^j]', 'é', '\\d+', '^-', 2, '\\.0$'])
      : random.pick(['1', '2', '', 'one', 'é', 'J', 'none', '2.0', 2, 20, 0, -3, 2.5]);
  return {
    tag,
    operator: anyCase(random, operator),
    value: random.chance(0.6) ? value() : repeat(random, 1, 3, value),
  };
}

/** A range to delete, as the reference takes it and as the body of the request. */
export interface RandomRange extends RangeToDelete {
  readonly body: object;
}

export function randomDelete(random: Random, times: readonly bigint[]): RandomRange {
  const { from, to } = bounds(random, times, second);
  const wanted = parameters.filter(() => random.chance(0.15));
  const common = {
    ...randomStreams(random),
    from,
    to,
    ...(random.chance(0.3) && { tagFilters: [randomCondition(random)] }),
  };
  const lists = (['numeric', 'string', 'binary'] as const)
    .map((kind) => [
      `${kind}Parameters`,
      wanted.filter((parameter) => parameter.kind === kind).map(({ name }) => ({ parameterName: name })),
    ])
    .filter(([, list]) => list!.length > 0);
  const keys = wanted.map(({ kind, name }) => `${kind}:${name}`);
  return {
    ...common,
    ...(keys.length > 0 && { keys }),
    body: { ...common, ...Object.fromEntries(lists) },
  };
}

/** At least one field that selects. */
export function randomStreams(random: Random): StreamSelection {
  const ids = repeat(random, 1, 2, () => random.pick([...streamIds, 'unknown']));
  const topic = random.pick(topicSpellings);
  return random.pick([{ streamIds: ids }, { streamIds: ids, topic }, { topic }]);
}

function anyCase(random: Random, word: string): string {
  return random.pick([word, word, word.toLowerCase(), word.toUpperCase()]);
}

function repeat<T>(random: Random, least: number, most: number, make: () => T): T[] {
  return Array.from({ length: random.int(least, most) }, make);
}

/** JSON with bigints as digits. */
export function requestJson(request: object): string {
  return JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? `<${value}>` : value)).replaceAll(
    /"<(-?\d+)>"/g,
    '$1',
  );
}
