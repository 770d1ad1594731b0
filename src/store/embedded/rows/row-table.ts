import type { GroupColumn, RowGroup } from './row-group.ts';
import type { RowIdentities } from './row-identities.ts';

/** Rows of several groups by number, counted through the groups, and their columns by place. */
export interface RowTable {
  readonly groups: readonly RowGroup[];
  readonly identities: RowIdentities;
  /** Per row the index of its group, per group its first row. */
  readonly groupOf: Uint32Array;
  readonly firstRows: Uint32Array;
  /** All parameters, ascending, and per group the place of each of its columns among them. */
  readonly parameters: readonly number[];
  readonly placesOf: readonly Uint32Array[];
}

export function rowTable(
  groups: readonly RowGroup[],
  identities: RowIdentities,
  parameters: readonly number[],
): RowTable {
  const groupOf = new Uint32Array(identities.identityOf.length);
  const firstRows = new Uint32Array(groups.length);
  const placeOf = new Map(parameters.map((parameter, place) => [parameter, place]));
  const placesOf: Uint32Array[] = [];
  let first = 0;
  groups.forEach(({ count, columns }, i) => {
    firstRows[i] = first;
    groupOf.fill(i, first, first + count);
    first += count;
    placesOf.push(
      i > 0 && haveSameParameters(groups[i - 1]!.columns, columns)
        ? placesOf[i - 1]!
        : placesOfColumns(columns, placeOf),
    );
  });
  return { groups, identities, groupOf, firstRows, parameters, placesOf };
}

function placesOfColumns(columns: readonly GroupColumn[], placeOf: ReadonlyMap<number, number>): Uint32Array {
  const places = new Uint32Array(columns.length);
  for (let i = 0; i < places.length; i++) places[i] = placeOf.get(columns[i]!.parameter)!;
  return places;
}

/** The parameters of all groups, ascending. */
export function parametersOf(groups: readonly RowGroup[]): number[] {
  const parameters = new Set<number>();
  groups.forEach(({ columns }, i) => {
    if (i > 0 && haveSameParameters(groups[i - 1]!.columns, columns)) return;
    for (const { parameter } of columns) parameters.add(parameter);
  });
  return [...parameters].sort((a, b) => a - b);
}

export function haveSameParameters(a: readonly GroupColumn[], b: readonly GroupColumn[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i]!.parameter !== b[i]!.parameter) return false;
  return true;
}
