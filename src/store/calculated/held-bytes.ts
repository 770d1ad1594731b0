import type { RowBlock } from '../row-block.ts';

/** The most bytes of rows that one read holds until others are known. */
export const maxHeldBytes = 64 << 20;

/** About what the rows of a block take. */
export function blockBytes({ count, columns }: RowBlock): number {
  let bytes = 16 * count;
  for (const column of columns)
    if (column !== undefined) bytes += 'ends' in column ? 4 * count + column.bytes.length : 8 * count;
  return bytes;
}
