import { Kind } from '../../../src/domain/parameter-data.ts';
import type { TagFilter } from '../../../src/domain/query.ts';
import { compareStreamKeys } from '../../../src/domain/stream.ts';
import { compareTagSets, noTags, type TagPair, tagSet, tagValue } from '../../../src/domain/tags.ts';
import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import type { CalculatingQuery } from '../../../src/expression/calculation.ts';
import { compileTagFilters } from '../../../src/query/plan/tag-predicate.ts';
import { interpret } from '../../expression/reference.ts';
import type { TestRow } from '../embedded/rows.ts';

/** A row as an answer has it; undefined where a column has no value. */
export interface ExpectedRow {
  readonly timestamp: bigint;
  readonly streamId: string;
  readonly topic: string;
  readonly tags: string;
  readonly cells: readonly (number | undefined)[];
}

interface StoredRow {
  readonly time: bigint;
  readonly tags: readonly TagPair[];
  readonly values: Map<string, number>;
}

const topic = 'cars';

/** Rows of numbers in maps, of which every answer is worked out anew, from all rows of each stream. */
export function plainData() {
  const streams = new Map<string, Map<string, StoredRow>>();

  return {
    write(streamId: string, rows: readonly TestRow[]): void {
      const stored = streams.get(streamId) ?? new Map<string, StoredRow>();
      streams.set(streamId, stored);
      for (const { time, tags = [], cells } of rows) {
        const set = tagSet(tags);
        const key = `${time} ${set.key}`;
        const row = stored.get(key) ?? { time, tags: set.pairs, values: new Map<string, number>() };
        stored.set(key, row);
        for (const [name, cell] of Object.entries(cells))
          if (cell !== null) row.values.set(name, cell as number);
      }
    },
    remove(streamId: string, from: bigint, to: bigint, name: string | undefined): void {
      for (const row of streams.get(streamId)?.values() ?? []) {
        if (row.time < from || row.time > to) continue;
        if (name === undefined) row.values.clear();
        else row.values.delete(name);
      }
    },
    /** The rows of a query without aggregations, without its limit and cursor. */
    answer(query: CalculatingQuery): ExpectedRow[] {
      const { from = minTimestamp, to = maxTimestamp, tagFilters = [], calculated = [] } = query;
      const isWanted = compileTagFilters(tagFilters as TagFilter[]) ?? (() => true);
      const found: ExpectedRow[] = [];
      for (const [streamId, stored] of streams) {
        if (query.streamIds !== undefined && !query.streamIds.includes(streamId)) continue;
        const rows = [...stored.values()].sort(
          (a, b) => Number(a.time - b.time) || compareTagSets(tagSet(a.tags), tagSet(b.tags)),
        );
        const columns = query.parameters.map(({ kind, name }) =>
          rows.map((row) => (kind === Kind.Numeric ? row.values.get(name) : undefined)),
        );
        for (const { expression } of calculated) {
          const own = rows.filter(({ values }) => expression.parameters.some((name) => values.has(name)));
          const plain = own.map(({ time, tags, values }) => ({
            time,
            tags: Object.fromEntries(tags),
            values: expression.parameters.map((name) => values.get(name)),
          }));
          const given = interpret(expression.root, plain, from);
          const column = rows.map((): number | undefined => undefined);
          for (const [i, row] of own.entries()) column[rows.indexOf(row)] = given[i];
          columns.push(column);
        }
        for (const [i, { time, tags }] of rows.entries()) {
          const cells = columns.map((column) => column[i]);
          if (time < from || time > to || !isWanted(tagSet(tags))) continue;
          if (cells.every((cell) => cell === undefined)) continue;
          found.push({ timestamp: time, streamId, topic, tags: tagSet(tags).key, cells });
        }
      }
      const setOf = (row: ExpectedRow) => tagSet(JSON.parse(row.tags) as TagPair[]);
      found.sort(
        (a, b) =>
          Number(a.timestamp - b.timestamp) || compareStreamKeys(a, b) || compareTagSets(setOf(a), setOf(b)),
      );
      return query.order === 'Desc' ? found.reverse() : found;
    },
  };
}

/** The value of a tag, or of a pseudo-tag, of a row. */
export function groupOf(row: ExpectedRow, tag: string): string | undefined {
  if (tag === 'streamId') return row.streamId;
  return tagValue(row.tags === noTags.key ? noTags : tagSet(JSON.parse(row.tags) as TagPair[]), tag);
}
