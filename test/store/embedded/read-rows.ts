import assert from 'node:assert/strict';
import { isPresent, Kind } from '../../../src/domain/parameter-data.ts';
import type { Position } from '../../../src/query/plan/cursor.ts';
import type { ReadPlan } from '../../../src/query/plan/plan.ts';
import type { RowBlock, Store } from '../../../src/store/store.ts';
import type { Cell } from './rows.ts';

/** A row of an answer; `cells` in the order of the plan's parameters. */
export interface ReadRow extends Position {
  readonly cells: readonly Cell[];
}

/** Runs a plan to its end. */
export async function readRows(store: Pick<Store, 'run'>, plan: ReadPlan): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  for await (const block of store.run(plan, new AbortController().signal)) rows.push(...rowsOfBlock(block));
  return rows;
}

export function rowsOfBlock(block: RowBlock): ReadRow[] {
  return Array.from({ length: block.count }, (_, row) => ({
    timestamp: block.base + BigInt(block.offsets[row]!),
    topic: block.streams[block.streamIndex?.[row] ?? 0]!.topic,
    streamId: block.streams[block.streamIndex?.[row] ?? 0]!.streamId,
    tags: block.tagSets[block.tagIndex?.[row] ?? 0]!.key,
    cells: block.columns.map((column) => cellOf(column, row)),
  }));
}

function cellOf(column: RowBlock['columns'][number], row: number): Cell {
  if (column === undefined || !isPresent(column.present, row)) return null;
  if (column.kind === Kind.Numeric) return column.values[row]!;
  const value = column.bytes.slice(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!);
  return column.kind === Kind.String ? Buffer.from(value).toString() : new Uint8Array(value);
}

/** The values of rows by stream, tags and parameter, those of each in order of time. */
export function cellsOfRows(rows: Iterable<ReadRow>): Map<string, [bigint, Cell][]> {
  const found = new Map<string, [bigint, Cell][]>();
  for (const { timestamp, topic, streamId, tags, cells } of rows) {
    for (const [parameter, cell] of cells.entries()) {
      if (cell === null) continue;
      const key = JSON.stringify([topic, streamId, tags, parameter]);
      const known = found.get(key) ?? [];
      found.set(key, known);
      known.push([timestamp, cell]);
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Runs a plan stream by stream, and gives the same. Fails where a stream comes again after another one. */
export async function readApart(
  store: Pick<Store, 'run'>,
  plan: ReadPlan,
): Promise<ReturnType<typeof cellsOfRows>> {
  const rows: ReadRow[] = [];
  const seen = new Set<string>();
  let before = '';
  for await (const block of store.run({ ...plan, streamsApart: true }, new AbortController().signal)) {
    const stream = JSON.stringify(block.streams);
    assert.ok(block.apart !== undefined && block.streamIndex === undefined && block.streams.length === 1);
    assert.ok((block.apart === 'part' && stream === before) || !seen.has(stream), `${stream} comes again`);
    seen.add(stream);
    before = stream;
    rows.push(...rowsOfBlock(block));
  }
  return cellsOfRows(rows);
}
