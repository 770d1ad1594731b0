import { dropEmptyRows, keepTags } from '../rows/gather-rows.ts';
import { mergeRowGroups } from '../rows/merge-row-groups.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { indexParts, letGoOf, partsByWindow } from './indexed-parts.ts';
import { mergeSources, type RowSource } from './overlap-merge.ts';
import type { OpenSnapshot } from './snapshot.ts';
import { rowSource, sourcesIn } from './sources.ts';
import type { StreamRange } from './stream-rows.ts';
import { walkOf } from './walk.ts';
import { addPlaced, headRowsInSlices } from './walk-head.ts';
import { groupRowsInSlices, type PartGroup } from './walk-parts.ts';

/** Some columns of a row group at a time are looked at, as a stream may have very many. */
type ShownRange = Pick<StreamRange, 'stream' | 'from' | 'to' | 'parameters' | 'wanted' | 'pace'>;

/** How many rows of one stream have a value of the parameters, none of which is of events: each identity once. */
export async function countShown(open: OpenSnapshot, range: ShownRange): Promise<number> {
  const { stream, from, to, parameters, pace } = range;
  const walk = walkOf(open.snapshot, stream, from, to, false);
  if (walk === undefined) return 0;
  const head = new Map<number, RowGroup[]>();
  for (const { window, group } of headRowsInSlices(walk, parameters)) {
    const turn = pace();
    if (turn !== undefined) await turn;
    addPlaced(head, { window, group: identitiesOf(group, range) });
  }
  const parts = partsByWindow(open.snapshot, walk);
  let count = 0;
  for (const window of new Set([...head.keys(), ...parts.keys()])) {
    await pace();
    const indexed = await indexParts(open.readers, parts.get(window) ?? []);
    try {
      const sources = sourcesIn(walk, window, indexed, head.get(window), parameters).map(
        (source): RowSource => {
          if (source.kind !== 'group') return rowSource(source, []);
          const { rank, first, last } = source;
          return { rank, first, last, load: () => identitiesOfGroup(source, range) };
        },
      );
      for await (const merged of mergeSources(sources, false)) {
        count += merged.count;
        await pace();
      }
    } finally {
      letGoOf(indexed);
    }
  }
  return count;
}

async function identitiesOfGroup(group: PartGroup, range: ShownRange): Promise<RowGroup> {
  const { stream } = group.handle;
  let found: RowGroup = { ...noRows, stream };
  for (const rows of await groupRowsInSlices(group, range.parameters)) {
    const turn = range.pace();
    if (turn !== undefined) await turn;
    found = mergeRowGroups([found, identitiesOf(rows, range)]);
  }
  return found;
}

/** Rows with a value and wanted tags, without columns. */
function identitiesOf(rows: RowGroup, { wanted }: ShownRange): RowGroup {
  const bare = { ...dropEmptyRows(rows), columns: [] };
  return wanted === undefined ? bare : keepTags(bare, wanted);
}

const noRows: Omit<RowGroup, 'stream'> = {
  count: 0,
  offsets: new Float64Array(),
  tagSets: [],
  tagIndex: undefined,
  columns: [],
};
