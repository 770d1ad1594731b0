import { isPresent, Kind, type Rows } from '../../src/domain/parameter-data.ts';
import { whole } from '../../src/turns/steps.ts';
import { type Lines, lineSteps } from '../../src/wire/lines/line-protocol.ts';
import { defaultPayloadLimits } from '../payload-limits.ts';
import { plainRows } from '../wire/payloads.ts';
import { lineCorpus } from './corpus.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';

const options = { unit: 1n, now: 7n, streamTags: [], limits: defaultPayloadLimits };
const words = [
  ',',
  '=',
  ' ',
  '\\',
  '"',
  '\n',
  '\r',
  '#',
  'i',
  'u',
  't',
  '-',
  '9223372036854775808',
  '1e400',
  '\t',
  '\ufeff',
].map((word) => Buffer.from(word));

/**
 * Reading lines never throws; the rows are no more than the good lines. Written as lines again, the rows read back as
 * they were. Lines read together are what they are read apart.
 */
export const lineTarget: Target = {
  name: 'lines',
  short: 3000,
  make(random) {
    const corpus = lineCorpus();
    const lines = Array.from({ length: 1 + random.below(3) }, () => lineOf(random));
    const body = random.once(2) ? Buffer.from(lines.join('\n')) : random.pick(corpus);
    return random.once(3) ? Buffer.from(body) : mutate(body, random, words, corpus);
  },
  check(input) {
    const lines = whole(lineSteps(input, options));
    const streams = [...lines.streams].map(([id, builder]) => [id, builder.rows()] as const);
    const rows = streams.reduce(
      (sum, [, parts]) => sum + parts.reduce((count, part) => count + part.count, 0),
      0,
    );
    if (rows > lines.good) throw new Error(`has ${rows} rows of ${lines.good} good lines`);
    if ((lines.bad === 0) !== (lines.firstBad === undefined)) throw new Error('tells bad lines by halves');
    const again = Buffer.from(
      streams.flatMap(([id, parts]) => parts.flatMap((part) => written(id, part))).join('\n'),
    );
    const second = whole(lineSteps(again, options));
    if (second.bad > 0) throw new Error(`refuses what it read: ${second.firstBad!.reason}`);
    if (told(second.streams) !== told(lines.streams)) throw new Error('reads other rows the second time');
    if (lines.bad > 0) return;
    const twice = whole(lineSteps(Buffer.concat([input, Buffer.from('\n'), input]), options));
    if (twice.good !== 2 * lines.good) throw new Error(`reads ${twice.good} lines of twice ${lines.good}`);
  },
};

function told(streams: Lines['streams']): string {
  const plain = [...streams]
    .filter(([, { count }]) => count() > 0)
    .map(([id, builder]) => [id, plainRows(builder.rows())]);
  return JSON.stringify(plain, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    return Object.is(value, -0) ? '-0' : value;
  });
}

/** A name or tag value as a line has it. */
const escaped = (text: string): string => text.replace(/[,= ]/g, '\\$&');

function written(stream: string, { count, base, offsets, tagSets, tagIndex, columns }: Rows): string[] {
  return Array.from({ length: count }, (_, row) => {
    const tags = tagSets[tagIndex?.[row] ?? 0]!.pairs.map(
      ([name, value]) => `,${escaped(name)}=${escaped(value)}`,
    );
    const fields = columns.flatMap((column) => {
      if (!isPresent(column.present, row)) return [];
      if (column.kind === Kind.Numeric) {
        const value = column.values[row]!;
        return [`${escaped(column.name)}=${Object.is(value, -0) ? '-0' : value}`];
      }
      const text = Buffer.from(
        column.bytes.subarray(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!),
      );
      return [`${escaped(column.name)}="${text.toString().replace(/["\\]/g, '\\$&')}"`];
    });

    return `${escaped(stream)}${tags.join('')} ${fields.join()} ${base + BigInt(offsets[row]!)}`;
  });
}

const names = ['m', 'cpu', 'a\\ b', 'x\\,y', 'k\\=v', 'é', 'p\\q'];
const values = [
  '1',
  '-2.5',
  '1e3',
  '7i',
  '8u',
  't',
  'FALSE',
  '"text"',
  '"a \\"b\\" \\\\"',
  '"1,2 =\n"',
  '-0',
  '.5',
];

function lineOf(random: Random): string {
  const list = (most: number, make: () => string): string[] =>
    Array.from({ length: random.below(most) }, make);
  const tags = list(3, () => `,${random.pick(names)}=${random.pick(names)}`).join('');
  const fields = ['f=1', ...list(3, () => `${random.pick(names)}=${random.pick(values)}`)].join();
  const time = random.once(4)
    ? ''
    : ` ${random.pick(['1', '-5', '1591733989000000001', '9223372036854775807'])}`;
  return `${random.pick(names)}${tags} ${fields}${time}`;
}
