import type { GroupLayout } from '../codecs/row-group-codec.ts';

/** Directories of row groups that were decoded lately, unless columns are left out, found by the bytes that they were decoded from. */
export interface LayoutCache {
  /** The layout of a group's head, decoded if need be. */
  of(head: Buffer, decode: () => GroupLayout): GroupLayout;
}

/**
 * Keeps up to twice `maxColumns` columns, and none longer than the bytes are in memory. Where many
 * columns have few values each, a directory takes many times the memory of its group.
 */
export function layoutCache(maxColumns: number): LayoutCache {
  let young = new WeakMap<Buffer, GroupLayout>();
  /** What was asked for before the last `maxColumns` columns came. */
  let old = young;
  let columns = 0;

  return {
    of(head, decode) {
      const known = young.get(head);
      if (known !== undefined) return known;
      const layout = old.get(head) ?? decode();
      if (layout.isPartial) return layout;
      columns += layout.columns.length;
      if (columns > maxColumns) {
        old = young;
        young = new WeakMap();
        columns = layout.columns.length;
      }
      young.set(head, layout);
      return layout;
    },
  };
}
