import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attributes, gauge, requestOf } from './messages.ts';
import { byTag, otlpForms, otlpRules, rowsOf } from './read.ts';

const at = { timeUnixNano: '1700000000123456789' };

for (const form of ['protobuf', 'json'] as const) {
  const read = otlpForms[form];

  describe(`OTLP in ${form}`, () => {
    it('makes parameters of names, tags of attributes, and keeps times to the nanosecond', () => {
      const request = requestOf(
        [
          {
            name: 'speed',
            description: 'How fast',
            unit: 'km/h',
            gauge: {
              dataPoints: [
                { ...at, asDouble: 213.5, attributes: attributes({ driver: 'Ada', empty: '' }) },
                { timeUnixNano: '9223372036854775807', asInt: '-7', attributes: [] },
              ],
            },
          },
          {
            name: 'laps',
            sum: {
              aggregationTemporality: 'AGGREGATION_TEMPORALITY_CUMULATIVE',
              isMonotonic: true,
              dataPoints: [{ ...at, asInt: '9007199254740991' }],
            },
          },
          { name: 'fuel', sum: { aggregationTemporality: 1, dataPoints: [{ ...at, asDouble: -0.5 }] } },
        ],
        { 'service.name': 'car', 'service.namespace': 'team', 'service.instance.id': '7', 'host.name': 'h' },
      );
      const found = read(request);
      assert.deepEqual(rowsOf(found), {
        'team/7': [
          ['1700000000123456789', { driver: 'Ada', empty: '' }, { speed: 213.5 }],
          ['9223372036854775807', {}, { speed: -7 }],
          ['1700000000123456789', {}, { fuel: -0.5, laps: 9007199254740991 }],
        ],
      });
      assert.deepEqual(found.metadata, [
        { ...found.metadata[0], metadata: { 'service.name': 'car', 'host.name': 'h' } },
      ]);
      assert.deepEqual(
        found.definitions.map(({ definition }) => definition),
        [
          { id: 'speed', description: 'How fast', unit: 'km/h', customProperties: '{"type":"gauge"}' },
          { id: 'laps', customProperties: '{"type":"counter","temporality":"cumulative"}' },
          { id: 'fuel', customProperties: '{"type":"gauge","temporality":"delta"}' },
        ],
      );
      assert.equal(found.refused.total, 0);
    });

    it('goes to the place that the rules name, and to otlp where there is none', () => {
      const request = {
        resourceMetrics: [
          { scopeMetrics: [{ metrics: [gauge('a', { asDouble: 1 })] }] },
          {
            resource: { attributes: attributes({ 'service.name': 'api', 'host.name': 'h' }) },
            scopeMetrics: [{ metrics: [gauge('a', { asDouble: 2 })] }],
          },
        ],
      };
      assert.deepEqual(Object.keys(rowsOf(read(request))), ['otlp/otlp', 'api/h']);
      const other = { ...otlpRules(), topic: ['none'], stream: ['none', 'host.name+service.name'] };
      assert.deepEqual(Object.keys(rowsOf(read(request, other))), ['otlp/otlp', 'otlp/h/api']);
    });

    it('has two streams of places whose names have slashes', () => {
      const resourceMetrics = [
        { 'host.name': 'a/b', 'service.name': 'c' },
        { 'host.name': 'a', 'service.name': 'b/c' },
      ].map((own) => ({
        resource: { attributes: attributes(own) },
        scopeMetrics: [{ metrics: [gauge('v', { asDouble: 1 })] }],
      }));
      const rules = { ...otlpRules(), topic: ['none'], stream: ['host.name+service.name'] };
      assert.deepEqual(Object.keys(rowsOf(read({ resourceMetrics }, rules))), ['otlp/a%2Fb/c', 'otlp/a/b/c']);
    });

    it('writes attributes of all kinds as text', () => {
      const values = {
        s: { stringValue: 'a "b"' },
        t: { boolValue: true },
        i: { intValue: '-9223372036854775808' },
        d: { doubleValue: 0.1 },
        n: { doubleValue: 'NaN' },
        b: { bytesValue: Buffer.from([0xff, 0]).toString('base64') },
        l: {
          arrayValue: { values: [{ stringValue: 'x' }, { intValue: '2' }, {}, { doubleValue: 'Infinity' }] },
        },
        m: { kvlistValue: { values: [{ key: 'k', value: { boolValue: false } }] } },
        e: {},
      };
      const list = Object.entries(values).map(([key, value]) => ({ key, value }));
      // What protobufjs takes for these doubles.
      const doubles = JSON.parse(JSON.stringify(list), (_, value) =>
        form === 'protobuf' && (value === 'NaN' || value === 'Infinity') ? Number(value) : value,
      );
      const [[, tags]] = Object.values(
        rowsOf(read(requestOf([gauge('a', { asInt: 1, attributes: doubles })]))),
      ).flat() as [[string, object]];
      assert.deepEqual(tags, {
        s: 'a "b"',
        t: 'true',
        i: '-9223372036854775808',
        d: '0.1',
        n: 'NaN',
        b: '/wA=',
        l: '["x",2,null,"Infinity"]',
        m: '{"k":false}',
      });
    });

    it('ends series where no value was recorded, and counts what it leaves out', () => {
      const found = read(
        requestOf([
          gauge('gone', { flags: 1, asDouble: 5, attributes: attributes({ a: 'b' }) }),
          { name: 'h', histogram: { dataPoints: [{ ...at, flags: 1, explicitBounds: [1] }] } },
          gauge('nothing', {}),
          gauge('seen', { asDouble: 1, exemplars: [{ asDouble: 1, timeUnixNano: '1' }, { asDouble: 2 }] }),
          gauge('large', { asInt: '9007199254740993' }),
        ]),
      );
      assert.deepEqual(
        found.streams[0]!.ends.map(({ id, tags }) => [id, tags.key]),
        [
          ['gone', '[["a","b"]]'],
          ['h.count', '[]'],
          ['h.sum', '[]'],
          ['h.bucket', '[["le","1"]]'],
          ['h.bucket', '[["le","+Inf"]]'],
        ],
      );
      assert.deepEqual([...found.refused.counts].sort(), [
        ['exemplar', 2],
        ['no_value', 1],
        ['rounded', 1],
      ]);
      assert.match(
        [...found.refused.notes.values()].join(),
        /numbers of "large" that no double holds were rounded/,
      );
      assert.equal(found.values, 7);
    });

    it('says where a later value of one time replaces another, whatever metric it is of', () => {
      const tagged = { attributes: attributes({ a: 'b' }) };
      const sum = (name: string, asDouble: number) => ({
        name,
        sum: { isMonotonic: true, aggregationTemporality: 2, dataPoints: [{ timeUnixNano: '1', asDouble }] },
      });
      const point = { timeUnixNano: '1', count: '1', sum: 1 };
      const found = read(
        requestOf([
          gauge('both', { asDouble: 1 }),
          gauge('both', { asDouble: 5, ...tagged }),
          gauge('both', { asDouble: 6, timeUnixNano: '2' }),
          sum('both', 2),
          gauge('same', { asDouble: 3 }),
          sum('same', 3),
          { name: 'h', histogram: { dataPoints: [point] } },
          { name: 'h', summary: { dataPoints: [{ ...point, sum: 4 }] } },
        ]),
      );
      assert.deepEqual([...found.refused.counts], [['replaced', 2]]);
      assert.match(found.refused.notes.get('replaced')!, /^values of "both" came twice for one time/);
      const last = (name: string) => byTag(found, name, '').at(-1)![1];
      assert.deepEqual([last('both'), last('h.sum')], [2, 4]);
    });

    it('takes the good points and says what is wrong with the others', () => {
      const good = gauge('good', { asDouble: 1 });
      const histogram = (point: object) => ({ name: 'h', histogram: { dataPoints: [{ ...at, ...point }] } });
      for (const [wrong, reason, text] of [
        [gauge('', { asDouble: 1 }), 'bad_series', /a metric is an empty name/],
        [gauge('m', { asDouble: 1, timeUnixNano: '0' }), 'bad_time', /a point of "m" has no time/],
        [gauge('m', { asDouble: 1, timeUnixNano: '18446744073709551615' }), 'bad_time', /beyond 64-bit/],
        [
          gauge('m', { asDouble: 1, attributes: [...attributes({ a: '1' }), ...attributes({ a: '2' })] }),
          'bad_series',
          /attribute "a" twice/,
        ],
        [
          gauge('m', { asDouble: 1, attributes: attributes({ '': 'x' }) }),
          'bad_series',
          /has an attribute that is an empty name/,
        ],
        [
          gauge('m', { asDouble: 1, attributes: attributes({ a: 'x'.repeat(70_000) }) }),
          'bad_series',
          /more than 65536 bytes/,
        ],
        [
          histogram({ count: 1, bucketCounts: [1], explicitBounds: [1] }),
          'bad_series',
          /1 counts for 1 bounds/,
        ],
        [
          histogram({ count: 2, bucketCounts: [1, 0], explicitBounds: [1] }),
          'bad_series',
          /has the count 2, and 1 in its buckets/,
        ],
        [
          histogram({ count: 1, bucketCounts: [1, 0, 0], explicitBounds: [1, 1] }),
          'bad_series',
          /bounds that do not rise/,
        ],
        [histogram({ count: 1, attributes: attributes({ le: '1' }) }), 'bad_series', /has the attribute le/],
        [
          histogram({ count: 1, bucketCounts: Array(4098).fill(0), explicitBounds: [1] }),
          'bad_series',
          /more than 4096 buckets/,
        ],
        [gauge('h.sum', { asDouble: 1 }), 'bad_series', /"h.sum" would be of two metrics, "h" and "h.sum"/],
      ] as const) {
        const before = histogram({ count: 0 });
        const found = read(requestOf([good, ...(reason === 'bad_series' ? [before] : []), wrong]));
        assert.deepEqual([...found.refused.counts], [[reason, 1]], String(text));
        assert.match(found.refused.first!, text);
        assert.deepEqual(byTag(found, 'good', ''), [[undefined, 1]]);
      }
    });

    it('tells metrics of two scopes apart that have one name', () => {
      const scope = (name: string, value: number) => ({
        scope: { name, version: '2', attributes: attributes({ kind: 'k' }) },
        metrics: [gauge('m', { asDouble: value })],
      });
      const found = read({
        resourceMetrics: [{ scopeMetrics: [scope('a', 1), scope('b', 2), scope('a', 3)] }],
      });
      const rows = rowsOf(found)['otlp/otlp']!;
      const tags = { 'otel.scope.name': 'b', 'otel.scope.version': '2', 'otel.scope.kind': 'k' };
      assert.deepEqual(rows, [
        ['1', {}, { m: 1 }],
        ['1', tags, { m: 2 }],
        ['1', {}, { m: 3 }],
      ]);
    });
  });
}
