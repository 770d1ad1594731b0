import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { staleBits, withBits, write1, write2 } from '../remote-write-messages.ts';
import { labels, read, rules, told } from './read-remote-write.ts';

describe('remote write', () => {
  const writers = { 1: write1, 2: write2 };
  for (const version of [1, 2] as const) {
    const write = writers[version];

    it(`makes topic, stream, parameter and tags of labels (${version})`, () => {
      const body = write([
        {
          labels: { ...labels, zone: 'é', empty: '' },
          samples: [
            [1000, 1.5],
            [-5, 2],
          ],
        },
        { labels: { __name__: 'b' }, samples: [[7, -0]] },
        { labels: { __name__: 'b', job: 'j' }, samples: [[8, Number.NaN]] },
      ]);
      assert.deepEqual(told(body, version), [
        {
          place: 'node/a:1',
          rows: [
            [1000, '[["zone","é"]]', { '0:up': 1.5 }],
            [-5, '[["zone","é"]]', { '0:up': 2 }],
          ],
          ends: [],
        },
        { place: 'prometheus/prometheus', rows: [[7, '[]', { '0:b': -0 }]], ends: [] },
        { place: 'j/j', rows: [[8, '[]', { '0:b': Number.NaN }]], ends: [] },
      ]);
    });

    it(`counts values that a later one of the same time replaces (${version})`, () => {
      const one = (value: number, ms = 7) => ({ labels, samples: [[ms, value]] as [number, number][] });
      const body = write([
        {
          labels: { ...labels, __name__: 'b' },
          samples: [
            [7, 1],
            [7, 2],
          ],
        },
        one(1),
        one(5, 8),
        one(1),
        one(3),
      ]);
      assert.deepEqual([...read(body, version).refused.counts], [['replaced', 2]]);
    });

    it(`reads the bits of a stale mark, which is no value but an end (${version})`, () => {
      const body = write([
        {
          labels,
          samples: [
            [1, 5],
            [2, 4.25],
            [3, Number.NaN],
          ],
        },
      ]);
      const [stream] = told(withBits(body, 4.25, staleBits), version);
      assert.deepEqual(stream, {
        place: 'node/a:1',
        rows: [
          [1, '[]', { '0:up': 5 }],
          [3, '[]', { '0:up': Number.NaN }],
        ],
        ends: [['up', 2, '[]']],
      });
      const alone = withBits(write([{ labels, samples: [[1, 4.25]] }]), 4.25, staleBits);
      assert.deepEqual(told(alone, version)[0]!.ends, [['up', 1, '[]']]);
      assert.equal(read(alone, version).values, 1);
    });

    it(`takes the good series and says what is wrong with the others (${version})`, () => {
      const good = { labels, samples: [[1, 1]] as const };
      for (const [wrong, reason, text] of [
        [{ labels: { job: 'j' }, samples: [[1, 1]] }, 'bad_series', /there is no label __name__/],
        [
          { labels: { ...labels, x: 'a'.repeat(70_000) }, samples: [[1, 1]] },
          'bad_series',
          /label x has more/,
        ],
        [
          { labels: { ...labels, job: 'a\nb' }, samples: [[1, 1]] },
          'bad_series',
          /label job is a name with a control/,
        ],
        [{ labels: { ...labels, '': 'a' }, samples: [[1, 1]] }, 'bad_series', /a label is an empty name/],
        [{ labels, samples: [['9223372036855', 1]] }, 'bad_time', /time 9223372036855 ms of "up" is beyond/],
        [{ labels, samples: [['-9223372036854775808', 1]] }, 'bad_time', /is beyond/],
      ] as const) {
        const { refused, values } = read(write([good, wrong as never]), version);
        assert.deepEqual([[...refused.counts], values], [[[reason, 1]], 1]);
        assert.match(refused.first!, text);
      }
    });
  }

  it('knows series again, with these labels and no others', () => {
    const given = rules();
    for (const zone of ['x', 'y', 'x']) {
      const [stream] = told(write1([{ labels: { ...labels, zone }, samples: [[1, 1]] }]), 1, given);
      assert.equal(stream!.rows[0]![1], `[["zone","${zone}"]]`);
    }
  });

  it('takes fields in any order', () => {
    const label = (name: string, value: string) =>
      field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(value))]));
    const sample = field(2, Buffer.from([0x10, 5, 0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]));
    const series = Buffer.concat([
      label('job', 'j'),
      sample,
      label('__name__', 'm'),
      sample,
      label('z', '1'),
    ]);
    assert.deepEqual(told(field(1, series)), [
      { place: 'j/j', rows: Array(2).fill([5, '[["z","1"]]', { '0:m': 1 }]), ends: [] },
    ]);
  });

  it('learns what is said of metrics, of all streams and of one', () => {
    const metadata = [{ type: 'COUNTER', metricFamilyName: 'http', help: 'Requests', unit: 's' }];
    assert.deepEqual(
      [...read(write1([], { metadata })).families],
      [['http', { type: 'counter', help: 'Requests', unit: 's' }]],
    );
    const body = write2([{ labels, samples: [[1, 1]], metadata: [2, 'Is it up?', 'bool'] }]);
    assert.deepEqual(read(body, 2).definitions, [
      {
        topic: 'node',
        streamId: 'a:1',
        definition: {
          id: 'up',
          description: 'Is it up?',
          unit: 'bool',
          customProperties: '{"type":"gauge"}',
        },
      },
    ]);
  });

  it('tells of histograms that it does not take, and leaves exemplars out', () => {
    const more = { histograms: [{ countInt: 3, sum: 2 }], exemplars: [{ value: 1 }] };
    const { refused, values } = read(write2([{ labels, samples: [[1, 1]], more }]), 2);
    assert.deepEqual(
      [[...refused.counts].sort(), values],
      [
        [
          ['exemplar', 1],
          ['not_supported', 1],
        ],
        1,
      ],
    );
    assert.match(refused.first!, /"up" is a native histogram/);
  });

  it('refuses what is no such message', () => {
    const good = write1([{ labels, samples: [[1, 1]] }]);
    for (const [body, text] of [
      [good.subarray(0, good.length - 1), /goes beyond the message/],
      [Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), /goes beyond the message/],
      [Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), /number has no end/],
      [Buffer.from([0x00, 0x01]), /field has the number 0/],
      [Buffer.alloc(1000, 0x0b), /groups are nested/],
      [Buffer.from('hello, world'), /message of protobuf/],
    ] as const) {
      assert.throws(() => read(body), { code: 'bad_request', message: text });
    }
    assert.throws(() => read(write2([{ labels, samples: [[1, 1]] }]).subarray(8), 2), {
      code: 'bad_request',
    });
    const noUtf8 = Buffer.from(good);
    noUtf8[noUtf8.indexOf('node')] = 0xff;
    assert.throws(() => read(noUtf8), { message: /not valid UTF-8/ });
  });

  it('keeps no more labels than a series may have', () => {
    const empty = Buffer.from([0x0a, 0]);
    const fields = Buffer.concat(Array(5_000_000).fill(empty));
    const length = Buffer.from([fields.length, fields.length >> 7, fields.length >> 14, fields.length >> 21]);
    const head = length.map((part, i) => (i < 3 ? part | 0x80 : part & 0x7f));
    const before = process.memoryUsage().heapUsed;
    const { refused } = read(Buffer.concat([Buffer.from([0x0a]), head, fields]));
    assert.match(refused.first!, /there are more than 256 labels/);
    assert.ok(process.memoryUsage().heapUsed - before < 60e6);
  });

  it('bounds what a few bytes of symbols can ask for', () => {
    const value = 'v'.repeat(60_000);
    const many = Array.from({ length: 255 }, (_, i) => [`l${i}`, value]);
    const series = { labels: { ...labels, ...Object.fromEntries(many) }, samples: [[1, 1]] as const };
    const body = write2(Array(8).fill(series));
    assert.ok(body.length < 100_000);
    assert.throws(() => read(body, 2), { code: 'body_too_large', message: /letters at most/ });
  });
});

/** Of a length below 128. */
function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
}
