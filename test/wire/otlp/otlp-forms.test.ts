import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whole } from '../../../src/turns/steps.ts';
import { jsonSteps } from '../../../src/wire/otlp/json.ts';
import { protobufSteps } from '../../../src/wire/otlp/protobuf.ts';
import { gauge, otlpProtobuf, requestOf } from './messages.ts';
import { otlpForms, otlpRules, rowsOf } from './read.ts';

describe('OTLP in protobuf', () => {
  it('takes fields in any order', () => {
    const first = otlpProtobuf(requestOf([gauge('m', { asDouble: 4 })], { 'service.name': 's' }));
    assert.deepEqual(Object.keys(rowsOf(whole(protobufSteps(first, otlpRules())))), ['s/s']);
    // Value, attribute, time, attribute; then points before the name, and metrics before their resource.
    const attribute = (key: string) =>
      field(7, Buffer.concat([field(1, Buffer.from(key)), field(2, field(1, Buffer.from('v')))]));
    const value = Buffer.concat([Buffer.from([0x21]), doubleBytes(4)]);
    const time = Buffer.from([0x19, 5, 0, 0, 0, 0, 0, 0, 0]);
    const point = Buffer.concat([value, attribute('b'), time, attribute('a')]);
    const sum = field(7, Buffer.concat([field(1, point), Buffer.from([0x18, 1, 0x10, 2])]));
    const metric = field(2, Buffer.concat([sum, field(1, Buffer.from('m'))]));
    const scopeMetrics = field(2, Buffer.concat([metric, field(1, field(1, Buffer.from('scope')))]));
    const resource = field(
      1,
      field(1, Buffer.concat([field(1, Buffer.from('host.name')), field(2, field(1, Buffer.from('h')))])),
    );
    const body = field(1, Buffer.concat([scopeMetrics, resource]));
    const found = whole(protobufSteps(body, otlpRules()));
    assert.deepEqual(rowsOf(found), { 'otlp/h': [['5', { a: 'v', b: 'v' }, { m: 4 }]] });
    assert.equal(
      found.definitions[0]!.definition.customProperties,
      '{"type":"counter","temporality":"cumulative"}',
    );
  });

  it('refuses what is no such message, and values that are nested too deep', () => {
    let nested: object = { stringValue: 'x' };
    for (let i = 0; i < 40; i++) nested = { arrayValue: { values: [nested] } };
    const deep = otlpProtobuf(
      requestOf([gauge('m', { asDouble: 1, attributes: [{ key: 'k', value: nested }] })]),
    );
    const good = otlpProtobuf(requestOf([gauge('m', { asDouble: 1 })]));
    for (const [body, text] of [
      [good.subarray(0, -1), /goes beyond the message/],
      [Buffer.from('hello, world'), /message of protobuf/],
      [Buffer.alloc(1000, 0x0b), /groups are nested/],
      [deep, /nested more than 32 deep/],
    ] as const)
      assert.throws(() => whole(protobufSteps(body, otlpRules())), { code: 'bad_request', message: text });
  });

  it('writes NaN and infinities, which are values', () => {
    const found = otlpForms.protobuf(
      requestOf([gauge('n', { asDouble: Number.NaN }), gauge('i', { asDouble: Number.NEGATIVE_INFINITY })]),
    );
    assert.deepEqual(rowsOf(found)['otlp/otlp']![0]![2], { n: Number.NaN, i: Number.NEGATIVE_INFINITY });
  });
});

describe('OTLP in JSON', () => {
  const json = (text: string) => whole(jsonSteps(Buffer.from(text), otlpRules()));

  it('takes numbers as numbers or texts, with all their digits, and null for no value', () => {
    const point = (value: string) => `{"timeUnixNano":1700000000123456789,${value}}`;
    const text = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","new":1,"gauge":{"dataPoints":[
      ${point('"asInt":12')},${point('"asInt":"13","attributes":[{"key":"a","value":{"intValue":7}}]')},
      ${point('"asDouble":null,"attributes":[{"key":"a","value":null}]')},
      ${point('"asDouble":"-Infinity","attributes":[{"key":"a","value":{"doubleValue":1e21}}]')}]}}]}]}]}`;
    const found = json(text);
    assert.deepEqual(rowsOf(found)['otlp/otlp'], [
      ['1700000000123456789', {}, { m: 12 }],
      ['1700000000123456789', { a: '7' }, { m: 13 }],
      ['1700000000123456789', { a: '1e+21' }, { m: Number.NEGATIVE_INFINITY }],
    ]);
    assert.deepEqual([...found.refused.counts], [['no_value', 1]]);
  });

  it('tells of numbers that no double holds', () => {
    const found = otlpForms.json(
      requestOf([
        gauge('a', { asDouble: '1e-400' }),
        gauge('b', { asDouble: '9007199254740993' }),
        gauge('c', { asDouble: '-0.0' }),
        gauge('d', { asDouble: 'NaN' }),
        {
          name: 's',
          summary: {
            dataPoints: [
              { timeUnixNano: '1', count: 1, quantileValues: [{ quantile: 0.5, value: '-2e-500' }] },
            ],
          },
        },
        {
          name: 'h',
          histogram: { dataPoints: [{ timeUnixNano: '1', sum: '1e-400', min: '1e-999', max: 0 }] },
        },
      ]),
    );
    assert.deepEqual([...found.refused.counts], [['rounded', 5]]);
    assert.deepEqual([...found.refused.notes.values()], ['numbers of "a" that no double holds were rounded']);
    const text =
      '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"n","gauge":{"dataPoints":[{"timeUnixNano":1,"asDouble":1e-400}]}}]}]}]}';
    assert.deepEqual([...json(text).refused.counts], [['rounded', 1]]);
  });

  it('names the place of what is wrong', () => {
    const metrics = (text: string) => `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[${text}]}]}]}`;
    for (const [text, message] of [
      ['', /is empty/],
      ['[]', /must be an object, not an array/],
      ['{"resource_metrics":[]}', /resourceMetrics is missing/],
      ['{"resourceMetrics":{}}', /resourceMetrics must be an array, not an object/],
      [metrics('{"name":7}'), /resourceMetrics\[0\]\.scopeMetrics\[0\]\.metrics\[0\]\.name must be a string/],
      [
        metrics('{"gauge":{"dataPoints":[{"asInt":1.5}]}}'),
        /gauge\.dataPoints\[0\]\.asInt must be a whole number/,
      ],
      [
        metrics('{"gauge":{"dataPoints":[{"asDouble":"x"}]}}'),
        /asDouble must be a number, NaN, Infinity or -Infinity, not "x"/,
      ],
      ...['1e999', '0x10', ' 1', '+Infinity', ''].map(
        (value) =>
          [
            metrics(`{"gauge":{"dataPoints":[{"asDouble":"${value}"}]}}`),
            /asDouble must be a number/,
          ] as const,
      ),
      [metrics('{"gauge":{"dataPoints":[{"asInt":"9223372036854775808"}]}}'), /asInt must be a whole number/],
      [metrics('{"histogram":{"dataPoints":[{"count":"-1"}]}}'), /count must be a whole number of 64 bits/],
      [metrics('{"histogram":{"dataPoints":[{"bucketCounts":[-1]}]}}'), /bucketCounts\[0\] must be a whole/],
      [metrics('{"sum":{"aggregationTemporality":"DELTA"}}'), /aggregationTemporality must be one of AGG/],
      [
        metrics('{"exponentialHistogram":{"dataPoints":[{"scale":4294967296}]}}'),
        /scale must be a 32-bit integer/,
      ],
    ] as const)
      assert.throws(() => json(text), { message });
  });
});

function doubleBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

/** Of a length below 128. */
function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
}
