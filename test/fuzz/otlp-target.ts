import { PitwallError } from '../../src/errors.ts';
import { whole } from '../../src/turns/steps.ts';
import { jsonSteps } from '../../src/wire/otlp/json.ts';
import { protobufSteps } from '../../src/wire/otlp/protobuf.ts';
import { attributes, gauge, otlpProtobuf, requestOf } from '../wire/otlp/messages.ts';
import { otlpRules } from '../wire/otlp/read.ts';
import { checkSeries, textOfSeries } from './check-series.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

const at = { timeUnixNano: '1700000000123456789', attributes: attributes({ a: 'b', é: 'ü' }) };
const requests = [
  requestOf(
    [
      gauge('m', {
        asDouble: 0.5,
        attributes: [{ key: 'k', value: { arrayValue: { values: [{ intValue: 1 }] } } }],
      }),
      {
        name: 's',
        unit: 'u',
        description: 'd',
        sum: { isMonotonic: true, dataPoints: [{ ...at, asInt: '-5' }] },
      },
    ],
    { 'service.name': 'api', 'host.name': 'h' },
  ),
  requestOf([
    {
      name: 'h',
      histogram: { dataPoints: [{ ...at, count: 3, sum: 1, bucketCounts: [1, 2], explicitBounds: [4] }] },
    },
    {
      name: 'e',
      exponentialHistogram: {
        dataPoints: [
          { ...at, count: 3, scale: 2, zeroCount: 1, positive: { offset: -3, bucketCounts: [2] } },
        ],
      },
    },
    {
      name: 'q',
      summary: { dataPoints: [{ ...at, count: 1, quantileValues: [{ quantile: 0.5, value: 2 }] }] },
    },
  ]),
  requestOf([]),
];
const messages = requests.map(otlpProtobuf);
const texts = requests.map((request) => Buffer.from(JSON.stringify(request)));

const tokens = [
  [0],
  [0xff],
  [0x80],
  [0x0a],
  [0x12],
  [0x1a],
  [0x0b],
  [0x3a],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
].map((bytes) => Buffer.from(bytes));
const words = [
  'null',
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  '1e400',
  '-1',
  '"NaN"',
  '9223372036854775808',
  '"asInt":',
].map((word) => Buffer.from(word));

/**
 * A request of OTLP is read as values that are told or written, no more than a few for each byte, the same ones a second time; or
 * it is refused with an error of ours.
 */
function target(
  name: string,
  corpus: readonly Buffer[],
  parts: readonly Buffer[],
  steps: typeof jsonSteps,
): Target {
  return {
    name,
    short: 1500,
    make: (random) => mutate(random.pick(corpus), random, parts, corpus),
    check(input) {
      const rules = otlpRules();
      try {
        const first = whole(steps(input, rules));
        checkSeries(first, 2 * input.length);
        const again = whole(steps(input, rules));
        if (again.values !== first.values || textOfSeries(again) !== textOfSeries(first))
          throw new Error('reads other values the second time');
      } catch (error) {
        if (!(error instanceof PitwallError)) throw error;
      }
    },
  };
}

export const otlpTargets: readonly Target[] = [
  target('otlp', messages, tokens, protobufSteps),
  target('otlp-json', texts, words, jsonSteps),
];
