import { PitwallError } from '../../errors.ts';
import type { RowBlock } from '../row-block.ts';
import { pickRows } from './pick-rows.ts';

/** The most bytes that are held until the last row is known. */
const maxHeldBytes = 64 << 20;

/**
 * Rows of ascending order in descending order: the last `limit` of them, or all. They are held until the last one is
 * there; throws `query_too_large` where these are too many.
 */
export async function* turnedRound(
  ascending: AsyncIterable<RowBlock>,
  limit: number | undefined,
): AsyncGenerator<RowBlock> {
  const held: RowBlock[] = [];
  let rows = 0;
  let bytes = 0;
  for await (const block of ascending) {
    held.push(block);
    rows += block.count;
    bytes += bytesOf(block);
    while (limit !== undefined && rows - held[0]!.count >= limit) {
      const first = held.shift()!;
      rows -= first.count;
      bytes -= bytesOf(first);
    }
    if (bytes > maxHeldBytes) throw tooManyRows();
  }
  for (let block = held.pop(); block !== undefined; block = held.pop()) {
    const { count } = block;
    yield pickRows(
      block,
      Uint32Array.from({ length: count }, (_, row) => count - 1 - row),
    );
  }
}

function bytesOf({ count, columns }: RowBlock): number {
  let bytes = 16 * count;
  for (const column of columns)
    if (column !== undefined) bytes += 'ends' in column ? 4 * count + column.bytes.length : 8 * count;
  return bytes;
}

function tooManyRows(): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `a calculated parameter that looks along rows is evaluated in order of time, and in descending order more than ${maxHeldBytes} bytes of rows would be held; ask for less time, give a limit, or ask in ascending order`,
  });
}
