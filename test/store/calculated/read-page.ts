import assert from 'node:assert/strict';
import { isPresent, Kind } from '../../../src/domain/parameter-data.ts';
import type { ResultBlock } from '../../../src/domain/result.ts';
import type { CalculatingQuery } from '../../../src/expression/calculation.ts';
import { isAggregate, planQuery } from '../../../src/query/plan/plan.ts';
import { collectRows } from '../../../src/store/answers/collect-rows.ts';
import type { Store } from '../../../src/store/store.ts';

/** A row of an answer: its time and what it is of, then its numbers. */
export type PageRow = readonly [place: string, ...numbers: (number | undefined)[]];

export interface Page {
  readonly rows: readonly PageRow[];
  readonly nextCursor: string | undefined;
  /** Rows that the store went through. */
  readonly read: number;
}

/** Tags by which rows of the tests are told apart. */
const tags = ['streamId', 'topic', 'Lap', 'Car'];

/** The answer to a query of numbers, as it is collected for JSON. */
export async function readPage(store: Pick<Store, 'run'>, query: CalculatingQuery): Promise<Page> {
  const plan = planQuery('w', query);
  assert.ok(!isAggregate(plan));
  let read = 0;
  const { signal } = new AbortController();
  const reader = {
    run: (asked: typeof plan) =>
      store.run(asked, signal, (rows) => {
        read += rows;
      }),
    aggregate: () => assert.fail('aggregates nothing'),
  };
  const { blocks, nextCursor } = await collectRows(reader, plan, tags, 2 ** 30, () => undefined);
  return { rows: blocks.flatMap(rowsOf), nextCursor, read };
}

/** All pages of a query. */
export async function readPages(
  store: Pick<Store, 'run'>,
  query: CalculatingQuery,
  limit: () => number,
): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const own = limit();
    const page = await readPage(store, { ...query, limit: own, ...(cursor !== undefined && { cursor }) });
    cursor = page.nextCursor;
    if (cursor !== undefined) assert.equal(page.rows.length, own);
    pages.push(page);
  } while (cursor !== undefined);
  return pages;
}

function rowsOf({ count, base, offsets, columns, tags: texts }: ResultBlock): PageRow[] {
  return Array.from({ length: count }, (_, row): PageRow => {
    const of = texts.map((column) => column.texts[column.index?.[row] ?? 0]);
    const numbers = columns.map((column) => {
      if (column?.kind !== Kind.Numeric) return undefined;
      return isPresent(column.present, row) ? column.values[row] : undefined;
    });
    return [`${base + BigInt(offsets[row]!)} ${of}`, ...numbers];
  });
}
