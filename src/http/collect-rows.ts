import { Kind } from '../domain/parameter-data.ts';
import { PitwallError } from '../errors.ts';
import type { Reservation } from '../ingest/byte-budget.ts';
import { encodeCursor, type Position } from '../query/cursor.ts';
import type { ReadPlan } from '../query/plan.ts';
import type { RowBlock, Store } from '../store/store.ts';

/** All rows of a read in memory, and where the next page begins if the limit cut it. */
export interface CollectedRows {
  readonly blocks: readonly RowBlock[];
  readonly rows: number;
  readonly nextCursor: string | undefined;
}

/**
 * Runs a plan to its end. A columnar answer needs all of its timestamps before its first column, so the rows are
 * kept: within `maxBytes` of column memory (else `result_too_large`), taken from the reservation.
 * One row more than the limit is asked for, to know whether there are more.
 */
export async function collectRows(
  store: Store,
  plan: ReadPlan,
  maxBytes: number,
  reservation: Reservation,
  signal: AbortSignal,
): Promise<CollectedRows> {
  const { limit } = plan;
  const wider = limit === undefined ? plan : { ...plan, limit: limit + 1 };
  const blocks: RowBlock[] = [];
  let rows = 0;
  let bytes = 0;
  let nextCursor: string | undefined;
  for await (const block of store.run(wider, signal)) {
    const room = limit === undefined ? block.count : Math.min(block.count, limit - rows);
    if (room < block.count && nextCursor === undefined) {
      const last = room > 0 ? block : blocks.at(-1)!;
      nextCursor = encodeCursor(positionOf(last, room > 0 ? room - 1 : last.count - 1));
    }
    if (room === 0) continue;
    const size = sizeOf(block, room);
    bytes += size;
    if (bytes > maxBytes) {
      throw new PitwallError('result_too_large', {
        detail: `the answer would take more than ${maxBytes} bytes; ask for less time, fewer parameters, or a limit`,
      });
    }
    reservation.take(size);
    blocks.push(firstRows(block, room));
    rows += room;
  }
  return { blocks, rows, nextCursor };
}

function positionOf(block: RowBlock, row: number): Position {
  const stream = block.streams[block.streamIndex?.[row] ?? 0]!;
  return {
    timestamp: block.base + BigInt(block.offsets[row]!),
    topic: stream.topic,
    streamId: stream.streamId,
    tags: block.tagSets[block.tagIndex?.[row] ?? 0]!.key,
  };
}

/** Memory of the first `count` rows. Tag sets and streams are shared with the store, so they count by their index. */
function sizeOf({ columns }: RowBlock, count: number): number {
  let size = count * 16;
  for (const column of columns) {
    if (column === undefined) continue;
    size += count / 8;
    size += column.kind === Kind.Numeric ? count * 8 : count * 4 + (column.ends[count - 1] ?? 0);
  }
  return Math.ceil(size);
}

/** The first `count` rows of a block, sharing its arrays. */
function firstRows(block: RowBlock, count: number): RowBlock {
  return count === block.count ? block : { ...block, count };
}
