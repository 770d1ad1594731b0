import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { get } from 'sparkplug-payload';
import { noTags, tagSet } from '../../../src/domain/tags.ts';
import { whole } from '../../../src/turns/steps.ts';
import { createTextCache } from '../../../src/wire/json/text-cache.ts';
import { GatheredRows } from '../../../src/wire/mqtt/gathered-rows.ts';
import type { MessageRead } from '../../../src/wire/mqtt/message-rows.ts';
import { messageSteps } from '../../../src/wire/mqtt/read-message.ts';
import { SparkplugNodes } from '../../../src/wire/mqtt/sparkplug-nodes.ts';
import { topicRule, usualRules } from '../../../src/wire/mqtt/topic-rules.ts';
import { ParameterDataDecoder } from '../../../src/wire/rows/parameter-data.ts';
import { Refused } from '../../../src/wire/series/refused.ts';
import { defaultPayloadLimits as limits } from '../../payload-limits.ts';
import { plainRows } from '../payloads.ts';

const arrivedAt = 1_700_000_000_500_000_000n;
const decoder = new ParameterDataDecoder(limits);
const sparkplug = get('spBv1.0')!;

interface Options {
  readonly rules?: readonly string[];
  readonly nodes?: SparkplugNodes;
  readonly tags?: readonly (readonly [string, string])[];
}

/** What a message becomes: `topic/stream`, time, tags and values of each row. */
function read(topic: string, payload: string | Buffer, { rules = [], nodes, tags }: Options = {}) {
  const births: string[] = [];
  let asks = 0;
  const reading: MessageRead = {
    rules: {
      topics: [...rules, ...usualRules].map(topicRule),
      timeFields: ['time', 'ts'],
      streamTags: ['unit'],
      limits,
      names: createTextCache(),
    },
    decoder,
    nodes: nodes ?? new SparkplugNodes(),
    message: { topic, payload: Buffer.from(payload), client: 'device 1', tags: tags ? tagSet(tags) : noTags },
    rows: [],
    streams: [],
    refused: new Refused(),
    arrival() {
      asks++;
      return arrivedAt;
    },
    rebirth: (group, node) => births.push(`${group}/${node}`),
  };
  decoder.begin();
  whole(messageSteps(reading, 'default'));
  const gathered = new GatheredRows(limits.maxParameters);
  for (const row of reading.rows) gathered.add(row, reading.message.tags);
  const rows = [...reading.streams, ...gathered.streams()].flatMap((one) =>
    plainRows(one.rows).map(({ time, tags: set, values }) => [
      `${one.topic}|${one.streamId}`,
      String(time),
      set,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name.slice(2), value])),
    ]),
  );
  return {
    rows,
    births,
    asks,
    refused: Object.fromEntries(reading.refused.counts),
    first: reading.refused.first,
  };
}

const seconds = '1700000000000000000';

describe('a message of MQTT', () => {
  it('is a bare value at topic, stream and parameter', () => {
    const at = String(arrivedAt);
    for (const [text, value] of [
      ['12.5', 12.5],
      [' -3e2\n', -300],
      ['true', 1],
      ['false', 0],
      ['+7', 7],
      ['.5', 0.5],
      ['ON', 'ON'],
      ['0x10', '0x10'],
      ['12,5', '12,5'],
      ['21.5 °C', '21.5 °C'],
    ] as const)
      assert.deepEqual(
        read('car7/stint 1/speed', text).rows,
        [['car7|stint 1', at, '[]', { speed: value }]],
        text,
      );
    assert.deepEqual(read('a/b/c/d/e', '1').rows, [['a/b/c|d', at, '[]', { e: 1 }]]);
    assert.deepEqual(read('kitchen/temperature', '1').rows, [['mqtt|kitchen', at, '[]', { temperature: 1 }]]);
    assert.deepEqual(read('temperature', '1').rows, [['mqtt|device 1', at, '[]', { temperature: 1 }]]);
    assert.deepEqual(read('a/b/c', '').rows, []);
    assert.deepEqual(read('a/b/c', 'nan').refused, { no_value: 1 });
    assert.deepEqual(read('a/b/c', '9007199254740993').refused, { rounded: 1 });
    assert.deepEqual(read('a/b/c', '+9007199254740993').refused, { rounded: 1 });
    assert.throws(() => read('a/b/c', '1e999'), { code: 'invalid_value' });
    assert.throws(() => read('a/b/c', Buffer.from([0xff, 0xfe])), { code: 'bad_utf8' });
    assert.throws(() => read('a//c', '1'), { code: 'bad_name' });
  });

  it('is a flat object with a time, or with none', () => {
    const text =
      '{"time":1700000000,"speed":12.5,"gear":"N","pit":true,"x":null,"engine":{"rpm":9000},"w":[1,2]}';
    assert.deepEqual(read('car7/stint', text).rows, [
      [
        'car7|stint',
        seconds,
        '[]',
        { speed: 12.5, pit: 1, 'engine.rpm': 9000, 'w.0': 1, 'w.1': 2, gear: 'N' },
      ],
    ]);
    assert.deepEqual(read('car7/stint', ' {"v":1}').rows, [
      ['car7|stint', String(arrivedAt), '[]', { v: 1 }],
    ]);
    assert.deepEqual(read('a/b/c/d', '{"v":1}').rows[0]![0], 'a/b/c|d');
    assert.deepEqual(
      read(
        'v1/devices/me/telemetry',
        '[{"ts":1700000000000,"values":{"a":1}},{"ts":1700000001000,"values":{"a":2}}]',
        {
          rules: ['json:v1/devices/me/telemetry'],
        },
      ).rows,
      [
        ['v1/devices/me/telemetry|device 1', seconds, '[]', { a: 1 }],
        ['v1/devices/me/telemetry|device 1', '1700000001000000000', '[]', { a: 2 }],
      ],
    );
    assert.equal(read('a/b', '{"ts":1,"v":1}').asks, 0);
    assert.throws(() => read('a/b', '{"v":1'), { code: 'bad_json' });
    assert.throws(() => read('a/b', '[{"a.b":1,"a":{"b":2}}]'), {
      code: 'duplicate_property',
      message: /\[0\]\.a\.b stands twice/,
    });
    assert.throws(() => read('a/b', '[1]'), { code: 'wrong_type' });
    assert.throws(() => read('a/b', '{"ts":"noon","v":1}'), { code: 'invalid_value' });
    assert.throws(() => read('a/b', '{"ts":true,"v":1}'), { code: 'bad_timestamp' });
  });

  it('has times in every usual form', () => {
    for (const [written, ns] of [
      ['1700000000', seconds],
      ['1700000000.25', '1700000000250000000'],
      ['1700000000123', '1700000000123000000'],
      ['1700000000123456', '1700000000123456000'],
      ['1700000000123456789', '1700000000123456789'],
      ['1.7e9', seconds],
      ['"1700000000"', seconds],
      ['"2023-11-14T22:13:20Z"', seconds],
      ['"2023-11-14T23:13:20.123456789+01:00"', '1700000000123456789'],
      ['"2023-11-14T22:13:20"', seconds],
    ] as const)
      assert.equal(read('a/b', `{"time":${written},"v":1}`).rows[0]![1], ns, written);
  });

  it('is parameter data as over HTTP, or an array of it', () => {
    const one = '{"timestamps":[1,2],"numericValues":{"v":[1,null]},"stringValues":{"s":[null,"x"]}}';
    const rows = [
      ['car7|stint', '1', '[]', { v: 1 }],
      ['car7|stint', '2', '[]', { s: 'x' }],
    ];
    assert.deepEqual(read('car7/stint', one).rows, rows);
    const other = '{"streamId":"other","timestamps":[3],"numericValues":{"v":[4]}}';
    assert.deepEqual(read('car7/stint', ` [${one},${other}]`).rows, [
      ...rows,
      ['car7|other', '3', '[]', { v: 4 }],
    ]);
    assert.deepEqual(read('car7/stint', `[${other.replace('other', 'timestamps')}]`).rows, [
      ['car7|timestamps', '3', '[]', { v: 4 }],
    ]);
    assert.throws(() => read('car7/stint', '{"timestamps":[1],"numericValues":{"v":[1,2]}}'), {
      code: 'length_mismatch',
    });
  });

  it('is line protocol, as telegraf writes it', () => {
    const text = 'cpu,host=a,unit=7 idle=1.5,name="x" 1700000000000000000\ncpu,host=a idle=2\nbad\n';
    const { rows, refused, asks } = read('telegraf/a/cpu', text);
    assert.deepEqual(rows, [
      ['telegraf|cpu/7', seconds, '[["host","a"],["unit","7"]]', { idle: 1.5, name: 'x' }],
      ['telegraf|cpu', String(arrivedAt), '[["host","a"]]', { idle: 2 }],
    ]);
    assert.deepEqual([refused, asks], [{ bad_series: 1 }, 1]);
    assert.throws(() => read('telegraf/a/cpu', 'bad'), { code: 'invalid_value' });
  });

  it('is a value of collectd, with the NUL at its end', () => {
    assert.deepEqual(read('collectd/h1/cpu-0/cpu-idle', '1700000000.5:42\0').rows, [
      [
        'collectd|h1',
        '1700000000500000000',
        '[["plugin_instance","0"],["type_instance","idle"]]',
        { 'cpu.cpu': 42 },
      ],
    ]);
    assert.throws(() => read('collectd/h1/cpu-0/cpu-idle', 'x'), { code: 'invalid_value' });
    assert.throws(() => read('collectd/h1', '1:1'), { code: 'invalid_value' });
  });

  it('has user properties as tags', () => {
    const tags = [['site', 'x']] as const;
    assert.equal(read('a/b/c', '1', { tags }).rows[0]![2], '[["site","x"]]');
    assert.equal(
      read('a/b', '{"timestamps":[1],"numericValues":{"v":[1]},"tagValues":{"k":["v"]}}', { tags })
        .rows[0]![2],
      '[["k","v"],["site","x"]]',
    );
    assert.equal(read('telegraf/a/cpu', 'cpu,site=y v=1 1', { tags }).rows[0]![2], '[["site","x"]]');
  });

  it('goes by the rules of the operator first', () => {
    const rules = ['value:plant/+/{stream}/{parameter}', 'json:x/{stream}/#', 'line:lines/{topic}/#'];
    assert.deepEqual(read('plant/9/pump/flow', '3', { rules }).rows[0]![0], 'plant|pump');
    assert.deepEqual(read('x/s/any/thing', '{"v":1}', { rules }).rows[0]![0], 'x|s');
    assert.deepEqual(read('lines/t/any', 'm v=1 5', { rules }).rows[0]![0], 't|m');
    assert.deepEqual(read('plant/9/pump', '{"v":1}', { rules }).rows[0]![0], 'plant/9|pump');
    for (const [rule, message] of [
      ['xml:a', /must be form:template/],
      ['value:{topic}/{stream}', /must name the {parameter}/],
      ['json:{topic}/{topic}', /once only/],
      ['json:#/{stream}', /may not have the level/],
      ['json:a+/b', /may not have the level/],
    ] as const)
      assert.throws(() => topicRule(rule), message);
  });
});

describe('Sparkplug B', () => {
  const encode = (metrics: readonly object[], more: object = {}) =>
    Buffer.from(sparkplug.encodePayload({ timestamp: 1_700_000_000_000, metrics, seq: 0, ...more } as never));

  it('has metrics by name and by alias, signs, nulls, historical values', () => {
    const nodes = new SparkplugNodes();
    const birth = encode([
      { name: 'bdSeq', type: 'Int64', value: 1 },
      { name: 'Temp', alias: 1, type: 'Double', value: 20.5 },
      { name: 'Count', alias: 2, type: 'Int32', value: -5 },
      { name: 'Small', alias: 3, type: 'Int8', value: -1 },
      { name: 'Big', alias: 4, type: 'Int64', value: -12 },
      { name: 'Text', alias: 5, type: 'String', value: 'on' },
      { name: 'Flag', alias: 6, type: 'Boolean', value: true },
      { name: 'U', alias: 7, type: 'UInt32', value: 4_000_000_000 },
    ]);
    assert.deepEqual(read('spBv1.0/plant/NBIRTH/edge', birth, { nodes }).rows, [
      [
        'plant|edge',
        seconds,
        '[]',
        { Temp: 20.5, Count: -5, Small: -1, Big: -12, Flag: 1, U: 4_000_000_000, Text: 'on' },
      ],
    ]);
    const data = encode([
      { alias: 1, type: 'Double', value: 21 },
      { alias: 2, type: 'Int32', isNull: true, value: null },
      { alias: 4, type: 'Int64', value: -2, timestamp: 1_699_999_999_000, isHistorical: true },
    ]);
    const read2 = read('spBv1.0/plant/NDATA/edge', data, { nodes });
    assert.deepEqual(read2.rows.sort(), [
      ['plant|edge', '1699999999000000000', '[]', { Big: -2 }],
      ['plant|edge', seconds, '[]', { Temp: 21 }],
    ]);
    assert.deepEqual([read2.refused, read2.births, read2.asks], [{ no_value: 1 }, [], 0]);
    const device = encode([{ name: 'Speed', alias: 20, type: 'Float', value: 1.5 }]);
    assert.deepEqual(read('spBv1.0/plant/DBIRTH/edge/robot', device, { nodes }).rows, [
      ['plant|edge/robot', seconds, '[]', { Speed: 1.5 }],
    ]);
    const moved = encode([{ alias: 20, type: 'Float', value: 2.5 }]);
    assert.deepEqual(read('spBv1.0/plant/DDATA/edge/robot', moved, { nodes }).rows, [
      ['plant|edge/robot', seconds, '[]', { Speed: 2.5 }],
    ]);
  });

  it('asks a node whose birth was missed for another', () => {
    const data = encode([
      { alias: 1, type: 'Double', value: 21 },
      { name: 'Named', type: 'Double', value: 1 },
    ]);
    const { rows, births, refused } = read('spBv1.0/plant/NDATA/edge', data);
    assert.deepEqual(rows, [['plant|edge', seconds, '[]', { Named: 1 }]]);
    assert.deepEqual([births, refused], [['plant/edge'], { bad_series: 1 }]);
    assert.deepEqual(read('spBv1.0/plant/NDEATH/edge', encode([])).rows, []);
    assert.deepEqual(read('spBv1.0/plant/NCMD/edge', data).births, []);
    assert.throws(() => read('spBv1.0/plant/NDATA/edge', Buffer.from([0x12, 0xff])), {
      code: 'bad_encoding',
    });
    assert.throws(() => read('spBv1.0/plant/DDATA/edge', data), { code: 'bad_name' });
  });
});
