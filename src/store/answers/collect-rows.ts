import { type Column, Kind } from '../../domain/parameter-data.ts';
import type { ResultBlock } from '../../domain/result.ts';
import { PitwallError } from '../../errors.ts';
import { encodeCursor, encodeGroupCursor } from '../../query/plan/cursor.ts';
import { type AggregatePlan, isAggregate, type ReadPlan } from '../../query/plan/plan.ts';
import { answerForms } from '../../wire/answers/answer-forms.ts';
import type { RowBlock } from '../row-block.ts';
import type { RowReader } from './answer.ts';
import { createResultRows } from './result-rows.ts';

const streamedTypes = [answerForms.csv, answerForms.parquet, answerForms.arrow]
  .map(([type]) => type)
  .join(', ');

/** All rows of an answer in memory, and where the next page begins if the limit cut it. */
export interface CollectedRows {
  readonly blocks: readonly ResultBlock[];
  readonly rows: number;
  readonly nextCursor: string | undefined;
}

/**
 * Runs a plan to its end. A columnar answer needs all of its timestamps before its first column, so the rows are
 * kept: within `maxBytes` of column memory (else `result_too_large`), which `take` is told of as they grow.
 * One row more than the limit is asked for, to know whether there are more.
 */
export async function collectRows(
  reader: Pick<RowReader, 'run' | 'aggregate'>,
  plan: ReadPlan | AggregatePlan,
  groupBy: readonly string[],
  maxBytes: number,
  take: (bytes: number) => void,
): Promise<CollectedRows> {
  const limit = plan.limit === undefined ? undefined : plan.limit + 1;
  const room = { limit: plan.limit, maxBytes, take };
  if (isAggregate(plan)) return collect(reader.aggregate({ ...plan, limit }, 0), groupCursorAt, room);
  const page = { ...plan, limit, ...(plan.limit !== undefined && { pageRows: plan.limit }) };
  const { blocks, rows, nextCursor } = await collect(reader.run(page, 0), rowCursorAt, room);
  return { blocks: blocks.map(createResultRows(groupBy)), rows, nextCursor };
}

/** What blocks of raw and of aggregated rows have in common. */
interface Block {
  readonly count: number;
  readonly columns: readonly (Column | undefined)[];
}

interface Room {
  readonly limit: number | undefined;
  readonly maxBytes: number;
  readonly take: (bytes: number) => void;
}

async function collect<Rows extends Block>(
  source: AsyncIterable<Rows>,
  cursorAt: (block: Rows, row: number) => string,
  { limit, maxBytes, take }: Room,
): Promise<{ blocks: Rows[]; rows: number; nextCursor: string | undefined }> {
  const blocks: Rows[] = [];
  let rows = 0;
  let bytes = 0;
  let nextCursor: string | undefined;
  for await (const block of source) {
    const room = limit === undefined ? block.count : Math.min(block.count, limit - rows);
    if (room < block.count && nextCursor === undefined) {
      const last = room > 0 ? block : blocks.at(-1)!;
      nextCursor = cursorAt(last, room > 0 ? room - 1 : last.count - 1);
    }
    if (room === 0) continue;
    const size = sizeOf(block, room);
    bytes += size;
    if (bytes > maxBytes) {
      throw new PitwallError('result_too_large', {
        detail: `the answer would take more than ${maxBytes} bytes; ask for less time, fewer parameters or a limit, or for a form that is streamed: ${streamedTypes}`,
      });
    }
    take(size);
    blocks.push(firstRows(block, room));
    rows += room;
  }
  return { blocks, rows, nextCursor };
}

function rowCursorAt(block: RowBlock, row: number): string {
  const stream = block.streams[block.streamIndex?.[row] ?? 0]!;
  return encodeCursor({
    timestamp: timeAt(block, row),
    topic: stream.topic,
    streamId: stream.streamId,
    tags: block.tagSets[block.tagIndex?.[row] ?? 0]!.key,
    ...(row === block.count - 1 && block.state !== undefined && { state: block.state }),
  });
}

function groupCursorAt(block: ResultBlock, row: number): string {
  return encodeGroupCursor({
    timestamp: timeAt(block, row),
    group: block.tags.map(({ texts, index }) => texts[index?.[row] ?? 0]),
  });
}

function timeAt({ base, offsets }: { base: bigint; offsets: Float64Array }, row: number): bigint {
  return base + BigInt(offsets[row]!);
}

/** Memory of the first `count` rows. Tags and streams are shared with the store, so they count by their index. */
function sizeOf({ columns }: Block, count: number): number {
  let size = count * 16;
  for (const column of columns) {
    if (column === undefined) continue;
    size += count / 8;
    size += column.kind === Kind.Numeric ? count * 8 : count * 4 + (column.ends[count - 1] ?? 0);
  }
  return Math.ceil(size);
}

/** The first `count` rows of a block, sharing its arrays. */
function firstRows<Rows extends Block>(block: Rows, count: number): Rows {
  return count === block.count ? block : { ...block, count };
}
