import type { ParameterKey } from '../../../domain/parameter-data.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import type { RetainedTimes } from '../catalog/registry.ts';
import { scopeConditions } from '../catalog/stream-scope.ts';
import { hiddenStreams, retainedFromOf } from '../catalog/visibility.ts';
import { kindNames } from '../server/kinds.ts';
import { literal, param, type Sql, some, sql } from '../server/sql.ts';
import type { SeriesRange } from '../server/window-sql.ts';

/** From when on rows are kept, of the topics that a query is about; undefined where all rows are. */
export type Retained = RetainedTimes | undefined;

/** Conditions on rows of `windows` of the streams that a selection wants, hidden ones left out: what the projection can answer. */
export function selectedStreams(selection: Selection): Sql[] {
  return [...streamsInScope(selection), isShown(selection)];
}

/** The same with hidden streams. */
export function streamsInScope(selection: Selection): Sql[] {
  return scopeConditions(selection.workspace, selection);
}

/** On rows with `topic` and `stream`: that the stream is not hidden. */
export function isShown(selection: Selection): Sql {
  const hidden = hiddenStreams(selection.workspace, selection);
  return selection.topic === undefined
    ? sql`(topic, stream) NOT IN (${hidden})`
    : sql`stream NOT IN (SELECT stream FROM (${hidden}))`;
}

/** The first and the last time (ns) that a selection, which is `narrowed`, wants of a row with `topic`. */
export function timesOf({ from, to }: Selection, kept: Retained): { readonly from: Sql; readonly to: Sql } {
  const wanted = sql`${param(from, 'Int64')}`;
  const isSame = kept === undefined || kept.topics.size === 0;
  return {
    from: isSame ? wanted : sql`greatest(${wanted}, ${retainedFromOf(sql`topic`, kept)})`,
    to: sql`${param(to, 'Int64')}`,
  };
}

/** What a plan reads of its parameters, hidden streams among them. */
export function seriesRange(
  plan: Selection & { readonly parameters: readonly ParameterKey[] },
  kept: Retained,
): SeriesRange {
  return { where: [...streamsInScope(plan), ofParameters(plan.parameters)], ...timesOf(plan, kept) };
}

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

/**
 * The selection with its times narrowed to those that are kept and that `from` and `to` leave; undefined: none are. Where topics
 * differ, `timesOf` tells of each.
 */
export function narrowed<Wanted extends Selection>(selection: Wanted, kept: Retained): Wanted | undefined {
  const oldest = kept?.topics.size === 0 ? kept.others : selection.from;
  const narrow = oldest > selection.from ? { ...selection, from: oldest } : selection;
  return narrow.from <= narrow.to ? narrow : undefined;
}
