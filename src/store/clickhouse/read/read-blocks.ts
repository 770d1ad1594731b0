import { print, type Sql } from '../server/sql.ts';
import { type NativeAnswerBlock, readNative } from './native-answer.ts';
import type { RunContext, SliceReading } from './run-context.ts';

/** Adds to a slice what a statement answers. Whether all of it is there: false where that is more than the slice may have. */
export async function readBlocks(
  select: Sql,
  add: (block: NativeAnswerBlock) => void,
  { builder, most, bytesAllowed, memory }: SliceReading,
  { clickhouse, options, countRows }: Pick<RunContext, 'clickhouse' | 'options' | 'countRows'>,
): Promise<boolean> {
  // Deletes are rows without values: of more rows than that the statement gives some.
  let rows = 0;
  for await (const block of readNative(clickhouse.stream(print(select), options), memory)) {
    const before = builder.values();
    add(block);
    // A row may be a window of many values.
    countRows(Math.max(block.rows, builder.values() - before));
    rows += block.rows;
    if (Math.max(rows, builder.values()) > most || builder.textBytes() > bytesAllowed) return false;
  }
  return true;
}
