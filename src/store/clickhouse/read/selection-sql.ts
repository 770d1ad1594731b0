import type { ParameterKey } from '../../../domain/parameter-data.ts';
import type { Selection } from '../../../query/plan.ts';
import type { KeptTimes } from '../catalog/registry.ts';
import { scopeConditions } from '../catalog/stream-scope.ts';
import { hiddenStreams, keptFromOf } from '../catalog/visibility.ts';
import { literal, param, type Sql, some, sql } from '../sql.ts';
import { tagConditions } from './tag-sql.ts';

/** What of a workspace's rows is expired: of the one topic that a query is about, or of all. */
export interface Kept {
  /** Of the topic (ns); undefined where all rows are kept. */
  readonly from: bigint | undefined;
  /** Of every topic, where the query names none. */
  readonly times: KeptTimes | undefined;
}

/** Conditions on rows of `samples` that a selection wants, and no others: hidden and expired ones are left out. */
export function selectedRows(selection: Selection, { times }: Kept): Sql[] {
  const { from, to } = selection;
  const conditions = [
    ...selectedStreams(selection),
    sql`timestamp BETWEEN ${param(from, 'Int64')} AND ${param(to, 'Int64')}`,
    ...tagConditions(selection.tagFilters),
  ];
  if (times !== undefined) conditions.push(sql`timestamp >= ${keptFromOf(sql`topic`, times)}`);
  return conditions;
}

/** The same without times and tags: what the projection of `samples` can answer. */
export function selectedStreams({ workspace, streamIds, topic }: Selection): Sql[] {
  const scope = { ...(streamIds && { streamIds }), ...(topic !== undefined && { topic }) };
  const hidden = hiddenStreams(workspace, scope);
  return [
    ...scopeConditions(workspace, scope),
    topic === undefined
      ? sql`(topic, stream) NOT IN (${hidden})`
      : sql`stream NOT IN (SELECT stream FROM (${hidden}))`,
  ];
}

/** As the column `kind` spells them. */
const kindNames = ['numeric', 'string', 'binary', 'event'] as const;

/** Only values of these parameters. */
export function ofParameters(parameters: readonly ParameterKey[]): Sql {
  const kinds = [...new Set(parameters.map(({ kind }) => kind))];
  return some(
    kinds.map((wanted) => {
      const names = parameters.filter(({ kind }) => kind === wanted).map(({ name }) => name);
      return sql`parameter IN ${param(names, 'Array(String)')} AND kind = ${literal(kindNames[wanted])}`;
    }),
  );
}

/** The selection with its times narrowed to those that are kept and that `from` and `to` leave; undefined: none are. */
export function narrowed<Wanted extends Selection>(selection: Wanted, kept: Kept): Wanted | undefined {
  const oldest = kept.from;
  const narrow = oldest !== undefined && oldest > selection.from ? { ...selection, from: oldest } : selection;
  return narrow.from <= narrow.to ? narrow : undefined;
}
