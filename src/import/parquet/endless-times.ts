import type { FileMetaData } from 'hyparquet';
import type { Leaf } from './leaves.ts';

const [mostInt64, mostInt32] = [2n ** 63n - 1n, 2 ** 31 - 1];

/**
 * DuckDB writes a moment or a day that is `infinity` as the largest number of its type, and `-infinity` as the same below zero:
 * they become these words, as in its CSV and JSON. In files of others such a number is a time.
 */
export function withEndlessTimes(leaf: Leaf, { created_by: writer = '' }: FileMetaData): Leaf {
  const { kind, type } = leaf.column;
  const isMoment = kind === 'moment' || kind === 'ns-moment';
  if (!writer.startsWith('DuckDB') || !(isMoment || type === 'DATE')) return leaf;
  const { convert = (value) => value as bigint } = leaf;
  return { ...leaf, convert: (value) => endless.get(value) ?? convert(value) };
}

const endless: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [mostInt64, 'infinity'],
  [-mostInt64, '-infinity'],
  [mostInt32, 'infinity'],
  [-mostInt32, '-infinity'],
]);
