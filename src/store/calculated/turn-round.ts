import { PitwallError } from '../../errors.ts';
import type { RowBlock } from '../row-block.ts';
import { blockBytes, maxHeldBytes } from './held-bytes.ts';
import { pickRows } from './pick-rows.ts';

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
    bytes += blockBytes(block);
    while (limit !== undefined && rows - held[0]!.count >= limit) {
      const first = held.shift()!;
      rows -= first.count;
      bytes -= blockBytes(first);
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

function tooManyRows(): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `a calculated parameter that looks along rows is evaluated in order of time, and in descending order more than ${maxHeldBytes} bytes of rows would be held; ask for less time, give a limit, or ask in ascending order`,
  });
}
