import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { Selection } from '../../../query/plan.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { streamsToRead } from '../catalog/select-streams.ts';
import { inOneGo } from '../catalog/steps.ts';
import { type TombstoneJson, tombstoneToJson } from '../tombstones/tombstone.ts';

/** A delete of rows before it is a record. */
export interface RowDelete {
  readonly record: TombstoneJson;
  readonly selection: Selection;
  /** Numbers of streams, ascending. */
  readonly streams: readonly number[];
  /** Undefined: all but events. */
  readonly parameters: ReadonlySet<number> | undefined;
}

/** Looks the names up: what nobody has written has no number, and nothing to delete. */
export function draftRowDelete(
  state: CatalogState,
  selection: Selection,
  parameters: readonly ParameterKey[] | undefined,
): RowDelete {
  const { workspace, streamIds, topic } = selection;
  const streams = [...inOneGo(streamsToRead(state, workspace, streamIds, topic))];
  const numbers =
    parameters &&
    new Set(
      parameters
        .map(({ kind, name }) => state.parametersByName[kind].get(name)?.number)
        .filter((number) => number !== undefined),
    );
  const { from, to, tagFilters } = selection;
  const record = tombstoneToJson({
    streams: Uint32Array.from(streams),
    from,
    to,
    parameters: numbers,
    tagFilters,
  });
  return { record, selection, streams, parameters: numbers };
}

/** What to look at in a stream to count its rows: fixed to the moment just before the delete. */
export interface RowsToCount {
  readonly stream: number;
  /** Those that lose values. */
  readonly parameters: ReadonlySet<number>;
  readonly hasEvents: boolean;
}

/** Streams that may have rows in the range, with those of their parameters that lose values. */
export function rowsToCount(
  { streams, sets, parameters }: CatalogState,
  { streams: selected, parameters: named, selection }: RowDelete,
): RowsToCount[] {
  const { rows } = streams;
  const found: RowsToCount[] = [];
  for (const stream of selected) {
    if (rows.hasData[stream] !== true) continue;
    if (rows.dataStart[stream]! > selection.to || rows.dataEnd[stream]! < selection.from) continue;
    const written = sets.members(rows.parameters[stream]!);
    const isEvent = (number: number) => parameters[number]?.kind === Kind.Event;
    const losing = written.filter((number) => named?.has(number) ?? !isEvent(number));
    if (losing.length === 0) continue;
    found.push({ stream, parameters: new Set(losing), hasEvents: written.some(isEvent) });
  }
  return found;
}
