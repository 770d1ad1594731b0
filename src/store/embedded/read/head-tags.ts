import type { FoundTags } from '../../../query/found-tags.ts';
import type { Selection } from '../../../query/plan.ts';
import type { Pace } from '../../../turns/pace.ts';
import type { OpenSnapshot } from './snapshot.ts';
import { usedSets } from './tag-values.ts';
import { walkOf } from './walk.ts';
import { type HeadSection, haveSameTags, headSections, sectionTags } from './walk-head.ts';

/**
 * Adds the tags of rows in memory. A section has its tag sets in a dictionary. Sections of a stream that follow one another
 * mostly have the same, which is looked at once.
 */
export async function addHeadTags(read: {
  readonly streams: Uint32Array;
  readonly open: OpenSnapshot;
  readonly from: Selection['from'];
  readonly to: Selection['to'];
  readonly found: FoundTags;
  readonly pace: Pace;
}): Promise<void> {
  const { streams, open, from, to, found, pace } = read;
  if (open.snapshot.heads.length === 0) return;
  for (const stream of streams) {
    const walk = walkOf(open.snapshot, stream, from, to);
    if (walk === undefined) continue;
    /** The section whose tag sets were all found last. */
    let known: HeadSection | undefined;
    for (const section of headSections(walk)) {
      const turn = pace();
      if (turn !== undefined) await turn;
      if (known !== undefined && haveSameTags(known, section)) continue;
      for (const rows of sectionTags(walk, section)) {
        const used = usedSets(rows);
        rows.tagSets.forEach((set, i) => {
          if (used[i] === 1) found.addSet(set);
        });
        if (section.isInside && used.every((isUsed) => isUsed === 1)) known = section;
      }
    }
    const turn = pace();
    if (turn !== undefined) await turn;
  }
}
