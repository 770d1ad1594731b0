import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whole } from '../../../src/turns/steps.ts';
import { collectdCommandSteps } from '../../../src/wire/collectd/commands.ts';
import { collectdJsonSteps } from '../../../src/wire/collectd/json.ts';
import type { SeriesRead } from '../../../src/wire/series/series-read.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { plainRows } from '../payloads.ts';

const rules = { topic: 'machines', limits: defaultPayloadLimits, now: () => ({ ms: 5000, ns: 0 }) };
const commands = (text: string) => whole(collectdCommandSteps(Buffer.from(text), rules));
const json = (value: unknown) =>
  whole(collectdJsonSteps(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), rules));

const rowsOf = ({ streams }: SeriesRead) =>
  streams.flatMap(({ topic, streamId, rows }) =>
    plainRows(rows).map(({ time, tags, values }) => [
      `${topic}/${streamId}`,
      String(time),
      tags,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name.slice(2), value])),
    ]),
  );

/** As the documentation of write_http shows it. */
const list = {
  values: [1901474177, 5],
  dstypes: ['derive', 'counter'],
  dsnames: ['rx', 'tx'],
  time: 1280959128.123,
  interval: 10.0,
  host: 'leeloo.octo.it',
  plugin: 'interface',
  plugin_instance: 'eth0',
  type: 'if_octets',
  type_instance: '',
  meta: { 'network:received': true },
};

describe('collectd', () => {
  it('gives the same rows in JSON and as commands', () => {
    const wanted = [
      [
        'machines/leeloo.octo.it',
        '1280959128123000000',
        '[["plugin_instance","eth0"]]',
        { 'interface.if_octets.rx': 1901474177, 'interface.if_octets.tx': 5 },
      ],
    ];
    const read = json([list]);
    assert.deepEqual(rowsOf(read), wanted);
    assert.deepEqual(
      read.definitions.map(({ definition: { id, customProperties } }) => [id, customProperties]),
      [
        ['interface.if_octets.rx', '{"type":"counter"}'],
        ['interface.if_octets.tx', '{"type":"counter"}'],
      ],
    );
    const line =
      'PUTVAL leeloo.octo.it/interface-eth0/if_octets interval=10.000 1280959128.123:1901474177:5\r\n';
    assert.deepEqual(rowsOf(commands(line)), wanted);
  });

  it('keeps the digits of times and says which numbers it rounds', () => {
    const text = JSON.stringify([{ ...list, values: [1, 2] }])
      .replace('1280959128.123', '1280959128.123456789')
      .replace('[1,2]', '[9007199254740993,null]');
    const read = json(text);
    assert.deepEqual(
      rowsOf(read).map(([, time]) => time),
      ['1280959128123456789'],
    );
    assert.deepEqual([...read.refused.counts].sort(), [
      ['no_value', 1],
      ['rounded', 1],
    ]);
    assert.deepEqual([...commands('PUTVAL h/p/t 1:+9007199254740993').refused.counts], [['rounded', 1]]);
  });

  it('reads quoted names, several values, U and N', () => {
    const read = commands(
      'PUTVAL "my \\"car\\"/a-b c/temperature-out-side" interval=1 1:1.5 2:U N:-3e2\n\n# text\nputval h/load/load 3:1:2:3\nPUTVAL h/p/unknown 3:7:8\n',
    );
    const tags = '[["plugin_instance","b c"],["type_instance","out-side"]]';
    assert.deepEqual(rowsOf(read), [
      ['machines/my "car"', '1000000000', tags, { 'a.temperature': 1.5 }],
      ['machines/my "car"', '5000000000', tags, { 'a.temperature': -300 }],
      [
        'machines/h',
        '3000000000',
        '[]',
        {
          'load.load.longterm': 3,
          'load.load.midterm': 2,
          'load.load.shortterm': 1,
          'p.unknown.0': 7,
          'p.unknown.1': 8,
        },
      ],
    ]);
    assert.deepEqual([...read.refused.counts], [['no_value', 1]]);
  });

  it('takes the good values and says what is wrong with the others', () => {
    const good = 'PUTVAL h/p/t 1:1\n';
    for (const [line, reason, text] of [
      ['PUTVAL h/p 1:1', 'bad_series', /line 2 names no host\/plugin\/type: "h\/p"/],
      ['PUTVAL "h/p/t 1:1', 'bad_series', /line 2 has a word in quotes without an end/],
      ['PUTVAL h/p/t interval=10', 'bad_series', /line 2 has no values/],
      ['PUTVAL h/p/t 1:x', 'bad_series', /line 2 has a value that is no number: "x"/],
      ['PUTVAL h/p/t 1:-1e999', 'bad_series', /line 2 has a value that is no number: "-1e999"/],
      ['PUTVAL h/p/t x:1', 'bad_time', /"h\/p\/t" has no time/],
      ['PUTVAL h/p/t 1', 'bad_series', /has 0 values/],
      ['PUTNOTIF message=x', 'not_supported', /the command "PUTNOTIF" is not taken/],
    ] as const) {
      const read = commands(good + line);
      assert.deepEqual([...read.refused.counts], [[reason, 1]], line);
      assert.match(read.refused.first!, text);
      assert.equal(rowsOf(read).length, 1);
    }
    for (const [value, text] of [
      [[list, { ...list, dsnames: ['rx'] }], /has 2 values and 1 names/],
      [[list, { ...list, dsnames: ['rx', 'rx'] }], /octets" has two values that are called "rx"/],
      [[list, { ...list, host: undefined }], /the host of a value is an empty name/],
      [[list, { ...list, time: undefined }], /has no time/],
      [[list, { labels: { severity: 'FAILURE' } }], /has no values: notifications are not taken/],
    ] as const) {
      const read = json(value);
      assert.match(read.refused.first!, text);
      assert.equal(rowsOf(read).length, 1);
    }
    assert.throws(() => json('{"values":[1]}'), { message: /must be an array, not an object/ });
    assert.throws(() => json([{ ...list, values: ['1', 2] }]), {
      message: /\[0\]\.values\[0\] must be a number or null/,
    });
    assert.throws(
      () => commands('PUTVAL \xff').streams && whole(collectdCommandSteps(Buffer.from([0xff]), rules)),
      { code: 'bad_utf8' },
    );
  });
});
