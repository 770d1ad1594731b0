import { makeSlab, type Slab } from '../../../../src/store/embedded/log/slab.ts';
import type { RowsDraft } from '../../../../src/store/embedded/log/write-rows.ts';

/** A slab of just these sections, one after another, and where each begins. */
export function slabOf(drafts: readonly RowsDraft[]): { slab: Slab; sections: number[] } {
  const slab = makeSlab(1, new SharedArrayBuffer(drafts.reduce((sum, { bytes }) => sum + bytes + 8, 0)));
  let at = 0;
  const sections = drafts.map((draft) => {
    const start = at;
    draft.write(slab, start);
    at += 8 * Math.ceil(draft.bytes / 8);
    return start;
  });
  return { slab, sections };
}
