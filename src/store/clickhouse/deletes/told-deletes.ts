import type { ParameterKey } from '../../../domain/parameter-data.ts';
import type { Selection } from '../../../query/plan.ts';
import { namedStreams } from '../catalog/stream-scope.ts';
import type { TableRow } from '../catalog/table-rows.ts';
import { ofParameters, streamsInScope } from '../read/selection-sql.ts';
import { tagConditions } from '../read/tag-sql.ts';
import { sql } from '../server/sql.ts';
import type { MeantValues } from './hide-values.ts';

/** A delete of a range of rows, as it is told in the table `range_deletes`. */
export interface ToldDelete {
  readonly selection: Selection;
  /** Undefined means all parameters, and no events. */
  readonly parameters: readonly ParameterKey[] | undefined;
  /** Streams that are left alone: they were soft-deleted. */
  readonly hidden: readonly (readonly [topic: string, stream: string])[];
  readonly version: bigint;
}

/** @param ended the version at which it was over; 0 = it begins */
export function toldRow({ version, ...body }: ToldDelete, ended: bigint): TableRow {
  const digits = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return {
    table: 'range_deletes',
    values: [body.selection.workspace, version, JSON.stringify(body, digits), ended],
  };
}

/** The delete that a row tells of. */
export function toldOf(version: string, body: string): ToldDelete {
  const told = JSON.parse(body) as Omit<ToldDelete, 'version'>;
  const selection = {
    ...told.selection,
    from: BigInt(told.selection.from),
    to: BigInt(told.selection.to),
  };
  return { ...told, selection, version: BigInt(version) };
}

export function meantBy({ selection, parameters, hidden, version }: ToldDelete): MeantValues {
  const series = [
    ...streamsInScope(selection),
    parameters === undefined ? sql`kind != 'event'` : ofParameters(parameters),
  ];
  if (hidden.length > 0) {
    const named = namedStreams(hidden.map(([topic, stream]) => ({ topic, stream })));
    series.push(sql`NOT ${named}`);
  }
  return {
    series,
    from: selection.from,
    to: selection.to,
    version,
    tags: tagConditions(selection.tagFilters),
  };
}
