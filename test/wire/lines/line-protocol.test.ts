import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isPresent, Kind } from '../../../src/domain/parameter-data.ts';
import { tagSet } from '../../../src/domain/tags.ts';
import { whole } from '../../../src/turns/steps.ts';
import { type LineOptions, type Lines, lineSteps } from '../../../src/wire/lines/line-protocol.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';

const options: LineOptions = { unit: 1n, now: 42n, streamTags: [], limits: defaultPayloadLimits };

function read(text: string | Buffer, changed: Partial<LineOptions> = {}): Lines {
  return whole(lineSteps(Buffer.from(text as string), { ...options, ...changed }));
}

/** All rows as plain values: [stream, time, tags, fields]. */
function flat({ streams }: Lines) {
  return [...streams].flatMap(([stream, builder]) =>
    builder.rows().flatMap((rows) =>
      Array.from({ length: rows.count }, (_, row) => {
        const fields: Record<string, number | string> = {};
        for (const column of rows.columns) {
          if (!isPresent(column.present, row)) continue;
          fields[column.name] =
            column.kind === Kind.Numeric
              ? column.values[row]!
              : Buffer.from(column.bytes)
                  .subarray(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!)
                  .toString();
        }
        const tags = Object.fromEntries(rows.tagSets[rows.tagIndex?.[row] ?? 0]!.pairs);
        return [stream, rows.base + BigInt(rows.offsets[row]!), tags, fields] as const;
      }),
    ),
  );
}

function one(line: string, changed: Partial<LineOptions> = {}) {
  const lines = read(line, changed);
  assert.equal(lines.firstBad, undefined);
  const rows = flat(lines);
  assert.equal(rows.length, 1);
  return rows[0]!;
}

describe('the line protocol', () => {
  it('counts integers of good lines that a double does not hold', () => {
    const lines = [
      'm a=9007199254740992i,b=9007199254740993i,c=-9007199254740993i',
      'm a=9007199254740993i,b=x',
      'm a=18446744073709551615u,b=9007199254740993,c="9007199254740993i"',
    ];
    assert.equal(read(lines.join('\n')).rounded, 3);
  });

  it('reads measurement, tags, fields and time', () => {
    assert.deepEqual(
      one('weather,location=us-midwest,season=summer temperature=82.5,humidity=71 1465839830100400200'),
      [
        'weather',
        1465839830100400200n,
        { location: 'us-midwest', season: 'summer' },
        { temperature: 82.5, humidity: 71 },
      ],
    );
  });

  it('reads every kind of value', () => {
    const [, , , fields] = one(
      'm a=1,b=-1.5e3,c=7i,d=-9223372036854775808i,e=18446744073709551615u,f=t,g=False,h="text, with = all",i=.5,j=1.,k=""',
    );
    assert.deepEqual(fields, {
      a: 1,
      b: -1500,
      c: 7,
      d: -(2 ** 63),
      e: 2 ** 64,
      f: 1,
      g: 0,
      h: 'text, with = all',
      i: 0.5,
      j: 1,
      k: '',
    });
  });

  it('takes escaped characters for what they are, and other backslashes too', () => {
    assert.deepEqual(
      one(String.raw`my\ mea\,sure=ment,ta\=g\,1=va\ l\,u\=e\x fie\ ld\=s\,="say \"hi\" \\ \n" 1`),
      ['my mea,sure=ment', 1n, { 'ta=g,1': 'va l,u=e\\x' }, { 'fie ld=s,': 'say "hi" \\ \\n' }],
    );
  });

  it('keeps line breaks inside of strings', () => {
    const lines = read('m s="one\ntwo" 1\nm s="three" 2\nbad');
    assert.deepEqual(
      flat(lines).map(([, , , fields]) => fields['s']),
      ['one\ntwo', 'three'],
    );
    assert.equal(lines.firstBad?.number, 4);
  });

  it('passes over comments, empty lines, and blanks around lines', () => {
    const lines = read('# a comment\n\n  \t\r\n  m a=1 1  \r\n#m a=2 2\nm a=3\t4\n\n');
    assert.equal(lines.firstBad, undefined);
    assert.deepEqual(
      flat(lines).map(([, time, , fields]) => [time, fields['a']]),
      [
        [1n, 1],
        [4n, 3],
      ],
    );
  });

  it('counts timestamps in the unit that it is told, and gives the present time to lines without one', () => {
    assert.equal(one('m a=1 -5', { unit: 1_000_000_000n })[1], -5_000_000_000n);
    assert.equal(one('m a=1')[1], 42n);
    assert.equal(one('m a=1  ')[1], 42n);
    assert.equal(one('m a=1 9223372036854775807')[1], 2n ** 63n - 1n);
  });

  it('reads the unit of each timestamp from its size, where it is told to', () => {
    for (const [text, time] of [
      ['1', 1_000_000_000n],
      ['-4999999999', -4_999_999_999_000_000_000n],
      ['5000000000', 5_000_000_000_000_000n],
      ['1612191099123', 1_612_191_099_123_000_000n],
      ['1612191099123456', 1_612_191_099_123_456_000n],
      ['4999999999999999', 4_999_999_999_999_999_000n],
      ['1612191099123456789', 1_612_191_099_123_456_789n],
    ] as const)
      assert.equal(one(`m v=1 ${text}`, { unit: 'auto' })[1], time, text);
  });

  it('passes over byte order marks where a line begins', () => {
    for (const text of [
      '\ufeffm v=1 1',
      '\ufeff\r\n# a comment\nm v=1 1',
      '# one\n \ufeff\ufeff m v=1 1\n\ufeff',
    ])
      assert.equal(one(text)[0], 'm');
    assert.deepEqual(flat(read('\ufeff')), []);
    assert.equal(one('m\ufeff v=1 1')[0], 'm\ufeff');
  });

  it('makes one row of tags in any order, and two of other tags', () => {
    const lines = read('m,a=1,b=2 x=1 1\nm,b=2,a=1 y=2 1\nm,a=2 x=3 1');
    const tags = flat(lines).map(([, , set]) => tagSet(Object.entries(set)).key);
    assert.equal(tags[0], tags[1]);
    assert.notEqual(tags[0], tags[2]);
  });

  it('keeps numbers and strings of one name apart, and the last of a field that stands twice', () => {
    assert.deepEqual(
      flat(read('m a=1,a=2 1\nm a="x" 2\nm a=3 3')).map(([, , , fields]) => fields['a']),
      [2, 'x', 3],
    );
  });

  it('tells streams of a measurement apart by the tags that it is told', () => {
    const lines = read('cpu,host=a,core=0 x=1 1\ncpu,host=b x=2 1\ncpu x=3 1', {
      streamTags: ['host', 'core'],
    });
    assert.deepEqual([...lines.streams.keys()], ['cpu/a/0', 'cpu/b', 'cpu']);
    assert.deepEqual(flat(lines)[0]![2], { host: 'a', core: '0' });
  });

  it('keeps good lines beside bad ones and names the first bad one', () => {
    const lines = read('m a=1 1\nm a= 2\nm a=3 3\nbroken\nm a=4 4');
    assert.deepEqual([lines.good, lines.bad], [3, 2]);
    assert.deepEqual(lines.firstBad, { number: 2, text: 'm a= 2', reason: 'the field a has no value' });
    assert.deepEqual(
      flat(lines).map(([, time]) => time),
      [1n, 3n, 4n],
    );
  });

  for (const [line, reason] of [
    ['m', 'missing fields'],
    ['m ', 'missing fields'],
    ['m,a=1', 'missing fields'],
    [',a=1 x=1', 'an empty measurement'],
    ['m,=1 x=1', 'an empty tag name'],
    ['m,a x=1', 'a tag without a value'],
    ['m,a= x=1', 'the tag a has an empty value'],
    ['m,a=1,a=2 x=1', 'the tag a stands twice'],
    ['m,a=1=2 x=1', 'an equals sign in the value of the tag a'],
    ['m x', 'a field without a value'],
    ['m =1', 'an empty field name'],
    ['m x=', 'the field x has no value'],
    ['m x=abc', 'the field x has the invalid value abc'],
    ['m x=1,', 'missing fields'],
    ['m x=NaN', 'the field x has the invalid value NaN'],
    ['m x=1e999', 'the field x is beyond the range'],
    ['m x=9223372036854775808i', 'the field x is beyond 64 bits'],
    ['m x=-1u', 'the field x is beyond 64 bits'],
    ['m x="never ends', 'a string without an end'],
    ['m x="a"b', 'something behind a value'],
    ['m x=1 12ab', 'the invalid timestamp 12ab'],
    ['m x=1 1.5', 'the invalid timestamp 1.5'],
    ['m x=1 9223372036854775808', 'beyond 64-bit nanoseconds'],
    [`${'m'.repeat(600)} x=1`, '600 bytes; 512 are allowed'],
    [`m x="${'s'.repeat(70_000)}"`, '70000 bytes; 65536 are allowed'],
    ['m\u0001 x=1', 'measurement is a name with a control character'],
    // These have taken minutes: as a number of so many digits, and by trying where its fraction begins.
    [`m x=${'9'.repeat(2_000_000)}i`, 'a value of 2000001 characters outside quotes'],
    [`m x=${'9'.repeat(2000)}i`, 'the field x is beyond 64 bits'],
    [`m x=${'y'.repeat(100)}`, `the invalid value ${'y'.repeat(63)}…`],
  ] as const) {
    it(`says of ${JSON.stringify(line.slice(0, 40))}: ${reason}`, () => {
      const lines = read(line);
      assert.equal(lines.good, 0);
      assert.ok(lines.firstBad?.reason.includes(reason), lines.firstBad?.reason);
      assert.ok([...lines.streams.values()].every(({ count }) => count() === 0));
    });
  }

  for (const [what, text, limits, reason, good] of [
    ['lines', 'a x=1 1\nb x=1 2\n'.repeat(3), { maxTimestamps: 5 }, 'more than 5 lines', 5],
    ['bad lines', `${'bad\n'.repeat(5)}m x=1`, { maxTimestamps: 5 }, 'missing fields', 0],
    ['fields', 'm a=1,b=2\nm a=1,b=2,c=3', { maxParameters: 2 }, 'more than 2 fields of one stream', 1],
    [
      'streams',
      Array.from({ length: 50_001 }, (_, i) => `m${i} x=1\n`).join(''),
      {},
      'more than 50000 streams',
      50_000,
    ],
    [
      'cells',
      `m ${Array.from({ length: 4000 }, (_, i) => `f${i}=1`).join()}\n${'m f0=1\n'.repeat(4000)}`,
      {},
      'more than 16000000 cells',
      4000,
    ],
  ] as const) {
    it(`keeps no more ${what} of one body than there is room for`, () => {
      const lines = read(text, { limits: { ...defaultPayloadLimits, ...limits } });
      assert.equal(lines.good, good);
      assert.ok(lines.firstBad?.reason.includes(reason), lines.firstBad?.reason);
    });
  }

  it('refuses bytes that are not UTF-8, line by line', () => {
    const lines = read(
      Buffer.concat([Buffer.from('m x="'), Buffer.of(0xff), Buffer.from('" 1\nm x="é" 2\n')]),
    );
    assert.deepEqual([lines.good, lines.bad], [1, 1]);
    assert.equal(flat(lines)[0]![3]['x'], 'é');
  });

  it('gives back what a writer of the protocol escaped', () => {
    const name = fc.string({
      minLength: 1,
      maxLength: 20,
      unit: fc.constantFrom('a', 'é', ',', '=', ' ', '"', 'Z'),
    });
    const escaped = (text: string) => text.replace(/[,= ]/g, '\\$&');
    fc.assert(
      fc.property(
        name,
        fc.dictionary(name, name, { maxKeys: 4, noNullPrototype: true }),
        fc.dictionary(
          name,
          fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ unit: 'grapheme' })),
          {
            minKeys: 1,
            maxKeys: 5,
            noNullPrototype: true,
          },
        ),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        (measurement, tags, fields, time) => {
          const tagText = Object.entries(tags).map(([key, value]) => `,${escaped(key)}=${escaped(value)}`);
          const fieldText = Object.entries(fields).map(([key, value]) => {
            const number = Object.is(value, -0) ? '-0' : String(value);
            const text = typeof value === 'number' ? number : `"${value.replace(/["\\]/g, '\\$&')}"`;
            return `${escaped(key)}=${text}`;
          });
          if (measurement.startsWith(' ')) return;
          const line = `${measurement.replace(/[, ]/g, '\\$&')}${tagText.join('')} ${fieldText.join(',')} ${time}\n`;
          const rows = flat(read(line));
          assert.deepEqual(rows, [[measurement, time, tags, fields]]);
        },
      ),
    );
  });

  it('never throws, whatever comes', () => {
    const pieces = fc.constantFrom(
      'm',
      ',',
      '=',
      ' ',
      '\n',
      '"',
      '\\',
      'a=1',
      '#',
      '1',
      'i',
      '\t',
      '\r',
      'é',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        const lines = read(parts.join(''));
        for (const builder of lines.streams.values()) builder.rows();
        assert.equal(lines.bad > 0, lines.firstBad !== undefined);
      }),
      { numRuns: 500 },
    );
  });
});
