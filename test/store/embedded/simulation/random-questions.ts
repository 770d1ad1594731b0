import { type Aggregation, interpolations, textAggregations } from '../../../../src/domain/query.ts';
import type { DataRequest } from '../../../query/reference.ts';
import type { Random } from '../random.ts';
import { clamp, randomAnchor, randomStreamId, topicNames } from './random-writes.ts';

const second = 1_000_000_000n;
const numberAggregations: readonly Aggregation[] = [
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
  'P95',
];
const numbers = ['speed', 'x', 'c0', 'c1', 'c7', 'w3', 'none'];
const strings = ['x', 'gear'];

/** A request for rows or for aggregates, as `answerOf` takes it. */
export function randomQuestion(random: Random, now: number): DataRequest {
  const isRaw = random.chance(0.4);
  const isBucketed = !isRaw && random.chance(0.6);
  const range = randomRange(random, now);
  const topic = random.chance(0.35) ? random.pick([...topicNames, 'CARS', 'none']) : undefined;
  const streamIds = random.chance(0.4) ? [randomStreamId(random), randomStreamId(random)] : undefined;
  const bounds = isBucketed || random.chance(0.6) ? range : {};
  return {
    ...randomParameters(random, isRaw),
    ...bounds,
    ...(streamIds && { streamIds }),
    ...(topic !== undefined && { topic }),
    ...(random.chance(0.25) && {
      tagFilters: [{ tag: 'lap', operator: random.pick(['Equal', 'NotEqual']), value: '1' }],
    }),
    groupBy: ['lap', 'streamId', 'topic', 'driver'].filter(() => random.chance(isRaw ? 1 : 0.35)),
    ...(isBucketed && {
      groupByTime: {
        timeBucketDuration: (range.to - range.from) / BigInt(random.int(1, 40)) + 1n,
        interpolationType: random.pick([...interpolations]),
      },
    }),
    ...(random.chance(0.4) && { limit: random.int(1, 40) }),
    order: random.pick(['Asc', 'Desc']),
  };
}

export function randomRange(random: Random, now: number): { from: bigint; to: bigint } {
  const anchor = randomAnchor(random, now);
  const span = random.pick([3n, 30n, second, 3600n * second, 2n ** 51n, 2n ** 58n]);
  return { from: clamp(anchor - span), to: clamp(anchor + span) };
}

function randomParameters(random: Random, isRaw: boolean): Partial<DataRequest> {
  const pick = (names: readonly string[], known: readonly Aggregation[]) =>
    names
      .filter(() => random.chance(0.4))
      .map((parameterName) => ({ parameterName, aggregationType: isRaw ? 'None' : random.pick(known) }));
  const numericParameters = pick(numbers, numberAggregations);
  // A count of a number and one of a text by the same name would be two columns of one name.
  const texts = textAggregations.filter((name) => name !== 'None' && name !== 'Count');
  return {
    numericParameters:
      numericParameters.length > 0
        ? numericParameters
        : [{ parameterName: 'speed', aggregationType: isRaw ? 'None' : 'Count' }],
    stringParameters: pick(strings, texts),
    binaryParameters: pick(['frame'], texts),
  };
}
