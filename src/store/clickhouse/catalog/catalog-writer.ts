import type { ClickHouse, Settings } from '../client.ts';
import { type InsertGroups, insertGroups } from '../insert-group.ts';
import { name, print, sql } from '../sql.ts';
import type { CatalogDraft, CatalogTable } from './catalog-draft.ts';

/** Inserts what changes say to the small tables; changes of requests at the same time share inserts. */
export interface CatalogWriter {
  /** Resolves when ClickHouse has acknowledged every line. Lines may be inserted again: they change nothing then. */
  insert(lines: Partial<CatalogDraft['lines']>): Promise<void>;
  /** Resolves when what was given before the call is acknowledged or refused. */
  settled(): Promise<void>;
}

export interface CatalogWriterOptions {
  readonly clickhouse: ClickHouse;
  /** Runs an insert until it is acknowledged or given up (insert-attempts.ts). */
  readonly attempts: (
    what: string,
    since: number,
    attempt: (token: string, signal: AbortSignal) => Promise<void>,
  ) => Promise<void>;
  /** Of every insert: what an acknowledgement means. */
  readonly settings: Settings;
}

const tables: readonly CatalogTable[] = ['workspaces', 'tokens', 'topics', 'definitions', 'streams'];

/** A group is one block, so that it is one part and one token stands for it. */
const limits = { maxRows: 100_000, maxBytes: 16 << 20, maxAgeMs: 0, maxInserts: 1 };

export function catalogWriter({ clickhouse, attempts, settings }: CatalogWriterOptions): CatalogWriter {
  const groups = new Map(tables.map((table) => [table, groupsOf(table)]));

  function groupsOf(table: CatalogTable): InsertGroups<string> {
    const statement = print(sql`INSERT INTO ${name(table)} FORMAT JSONEachRow`);
    return insertGroups<string>(limits, (lines, since) => {
      const data = [Buffer.from(lines.join('\n'))];
      return attempts(table, since, (token, signal) =>
        clickhouse.insert(statement, data, {
          settings: {
            ...settings,
            async_insert: 0,
            insert_deduplication_token: token,
            input_format_defaults_for_omitted_fields: 1,
            input_format_json_named_tuples_as_objects: 1,
          },
          signal,
        }),
      );
    });
  }

  return {
    async insert(lines) {
      const under = tables.flatMap((table) => {
        const added = lines[table] ?? [];
        if (added.length === 0) return [];
        const bytes = added.reduce((sum, line) => sum + line.length, 0);
        return groups.get(table)!.add(added, { rows: added.length, bytes });
      });
      const failed = (await Promise.allSettled(under)).find(({ status }) => status === 'rejected');
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    },
    async settled() {
      await Promise.all([...groups.values()].map((group) => group.settled()));
    },
  };
}
