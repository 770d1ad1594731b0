import { Kind } from '../../src/domain/parameter-data.ts';
import type { ResultBlock, ResultShape } from '../../src/domain/result.ts';

/** A row as a test writes it: values aligned with the columns of the shape, tags with its groupBy; null is none. */
export interface PlainRow {
  readonly time: bigint;
  readonly values: readonly (number | string | Buffer | null)[];
  readonly tags: readonly (string | null)[];
}

/** Rows as blocks of at most `blockRows`, the way a store gives them. */
export function blocksOf(shape: ResultShape, rows: readonly PlainRow[], blockRows: number): ResultBlock[] {
  const blocks: ResultBlock[] = [];
  for (let from = 0; from < rows.length; ) {
    const base = rows[from]!.time;
    let to = from;
    while (to < rows.length && to < from + blockRows && isNear(rows[to]!.time - base)) to++;
    blocks.push(blockOf(shape, rows.slice(from, to), base));
    from = to;
  }
  return blocks;
}

function isNear(distance: bigint): boolean {
  return distance < 2n ** 53n && distance > -(2n ** 53n);
}

function blockOf({ columns, groupBy }: ResultShape, rows: readonly PlainRow[], base: bigint): ResultBlock {
  return {
    count: rows.length,
    base,
    offsets: Float64Array.from(rows, ({ time }) => Number(time - base)),
    columns: columns.map(({ kind, name }, i) => {
      const cells = rows.map(({ values }) => values[i]!);
      if (cells.every((cell) => cell === null)) return undefined;
      const present = cells.some((cell) => cell === null)
        ? bitmap(cells.map((cell) => cell !== null))
        : undefined;
      if (kind === Kind.Numeric) {
        return {
          kind,
          name,
          values: Float64Array.from(cells, (cell) => (cell as number | null) ?? 99),
          present,
        };
      }
      const texts = cells.map((cell) => (cell === null ? Buffer.alloc(0) : Buffer.from(cell as string)));
      let end = 0;
      const ends = Uint32Array.from(texts, (text) => {
        end += text.length;
        return end;
      });
      return { kind, name, bytes: Buffer.concat(texts), ends, present };
    }),
    tags: groupBy.map((_, i) => {
      const texts = [...new Set(rows.map(({ tags }) => tags[i] ?? undefined))];
      const index = Uint32Array.from(rows, ({ tags }) => texts.indexOf(tags[i] ?? undefined));
      return { texts, index: texts.length === 1 ? undefined : index };
    }),
  };
}

function bitmap(bits: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array((bits.length + 7) >> 3);
  bits.forEach((bit, i) => {
    if (bit) bytes[i >> 3] = bytes[i >> 3]! | (1 << (i & 7));
  });
  return bytes;
}

export async function* later<T>(values: Iterable<T>): AsyncGenerator<T> {
  for (const value of values) yield await Promise.resolve(value);
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
