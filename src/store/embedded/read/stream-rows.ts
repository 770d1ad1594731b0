import type { CountRows } from '../../../query/running-queries.ts';
import type { TagPredicate } from '../../../query/tag-predicate.ts';
import type { Pace } from '../../../turns/pace.ts';
import { dropEmptyRows, keepTags } from '../rows/gather-rows.ts';
import type { PlacedGroup } from '../rows/row-group.ts';
import { indexParts, letGoOf, partsByWindow } from './indexed-parts.ts';
import { mergeSources } from './overlap-merge.ts';
import type { OpenSnapshot } from './snapshot.ts';
import { rowSource, sourcesIn } from './sources.ts';
import { walkOf } from './walk.ts';
import { headRows } from './walk-head.ts';

export interface StreamRange {
  readonly stream: number;
  /** Nanoseconds, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  /** Numbers of the wanted parameters. */
  readonly parameters: ReadonlySet<number>;
  /** Whether some of these are events. */
  readonly withEvents: boolean;
  /** Only rows with such tags; undefined means all. */
  readonly wanted?: TagPredicate | undefined;
  readonly descending: boolean;
  /** Asked before each window and each group. */
  readonly pace: Pace;
  /** Told of all that is read, also where its tags are not wanted. */
  readonly countRows?: CountRows;
}

/** The rows of one stream in order, each identity once, without rows that have none of the parameters. */
export async function* readStream(open: OpenSnapshot, range: StreamRange): AsyncGenerator<PlacedGroup> {
  const walk = walkOf(open.snapshot, range.stream, range.from, range.to, range.withEvents);
  if (walk === undefined) return;
  const head = headRows(walk, range.parameters);
  const parts = partsByWindow(open.snapshot, walk);
  const parameters = [...range.parameters].sort((a, b) => a - b);
  const windows = [...new Set([...head.keys(), ...parts.keys()])].sort((a, b) => a - b);
  if (range.descending) windows.reverse();
  for (const window of windows) {
    await range.pace();
    const indexed = await indexParts(open.readers, parts.get(window) ?? []);
    try {
      const sources = sourcesIn(walk, window, indexed, head.get(window), range.parameters);
      const loadable = sources.map((source) => rowSource(source, parameters));
      for await (const merged of mergeSources(loadable, range.descending)) {
        range.countRows?.(merged.count);
        const group = dropEmptyRows(range.wanted === undefined ? merged : keepTags(merged, range.wanted));
        if (group.count > 0) yield { window, group };
        await range.pace();
      }
    } finally {
      // Other streams of the same read want these indexes until it has left the window.
      letGoOf(indexed);
    }
  }
}
