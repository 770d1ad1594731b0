import { decodeGroup } from '../parts/part-reader.ts';
import type { ColumnFamily } from '../rows/column-families.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import { placeBytes, type RowGroup } from '../rows/row-group.ts';
import type { RankedGroup } from './merged-part.ts';

/** Row groups whose columns go to several families. */
export interface SplitGroups {
  /** The rows that have values of a family. Families are asked for in their order. */
  rowsOf(group: RankedGroup, family: ColumnFamily): Promise<RowGroup>;
}

/** The families for which a group is decoded at once, while what is kept for later takes no more than this. */
const familiesAtOnce = 64;
const maxKeptBytes = 16 * 1024 * 1024;
/** What a kept group takes besides its values. */
const groupOverhead = 1024;

export function splitGroups(families: readonly ColumnFamily[]): SplitGroups {
  const places = new Map(families.map((family, place) => [family, place]));
  const kept = new Map<RankedGroup, Map<ColumnFamily, RowGroup>>();
  let bytes = 0;

  const sizeOf = (rows: RowGroup) => placeBytes(rows) + 8 * rows.count + groupOverhead;

  function take(group: RankedGroup, family: ColumnFamily): RowGroup | undefined {
    const rows = kept.get(group)?.get(family);
    if (rows === undefined) return undefined;
    kept.get(group)!.delete(family);
    bytes -= sizeOf(rows);
    return rows;
  }

  function keep(group: RankedGroup, family: ColumnFamily, rows: RowGroup): void {
    const own = kept.get(group) ?? new Map<ColumnFamily, RowGroup>();
    kept.set(group, own);
    own.set(family, rows);
    bytes += sizeOf(rows);
  }

  return {
    async rowsOf(group, family) {
      const held = take(group, family);
      if (held !== undefined) return held;
      const place = places.get(family)!;
      const next =
        bytes < maxKeptBytes
          ? [...group.families]
              .filter((other) => places.get(other)! >= place && places.get(other)! < place + familiesAtOnce)
              .sort((a, b) => places.get(a)! - places.get(b)!)
          : [family];
      const { part, handle } = group;
      const stored = { handle, bytes: await part.read(handle) };
      const decoded = decodeGroup(part.reader.file.name, stored, new Set(next.flat()));
      let wanted: RowGroup | undefined;
      for (const other of next) {
        const own = new Set(other);
        const columns = decoded.columns.filter(({ parameter }) => own.has(parameter));
        const rows = dropEmptyRows({ ...decoded, columns });
        if (other === family) wanted = rows;
        else if (bytes < maxKeptBytes && kept.get(group)?.has(other) !== true) keep(group, other, rows);
      }
      return wanted!;
    },
  };
}
