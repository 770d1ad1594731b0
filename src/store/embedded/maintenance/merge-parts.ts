import { freeArrays } from '../../../free-arrays.ts';
import type { PartReader } from '../parts/part-reader.ts';
import type { PartWriter } from '../parts/part-writer.ts';
import { collectRows } from '../parts/row-collector.ts';
import type { WindowTombstone } from '../tombstones/tombstone.ts';
import { mergeRows } from './merge-rows.ts';
import { type MergedPart, mergedPart } from './merged-part.ts';
import { streamMerge } from './stream-merge.ts';

export interface MergeOptions {
  /** Rows of streams that are no longer alive are left out. */
  alive(stream: number): boolean;
  /** The first offset of a stream's rows in a window that is kept; 0 keeps all, as does leaving it out. */
  retainedFrom?(stream: number, window: number): number;
  /** What deletes hide of a stream and window in the part with that index; nothing without it. */
  tombstones?(part: number, stream: number, window: number): readonly WindowTombstone[];
  /** Only rows in these windows; all without it. */
  readonly windows?: ReadonlySet<number>;
}

/**
 * Merges parts, oldest first, into a new one; the caller finishes the writer. Rows of one identity become one, each
 * parameter with the value of the newest part that has it; rows without a value go. Streams come one after another, of
 * each its windows, and of these their families of columns; what memory that takes does not go by the length of a stream, nor by how
 * many parts have rows of the same time. Rejects with DamagedError, and with what reading and writing throw.
 */
export async function mergeParts(
  parts: readonly PartReader[],
  writer: PartWriter,
  options: MergeOptions,
): Promise<void> {
  const { tombstones = () => [], retainedFrom = () => 0, windows } = options;
  const sources: MergedPart[] = [];
  for (const part of parts) sources.push(await mergedPart(part, parts.length, windows));
  for (;;) {
    const stream = sources.reduce(
      (least, source) => Math.min(least, source.stream()),
      Number.POSITIVE_INFINITY,
    );
    if (stream === Number.POSITIVE_INFINITY) return;
    const window = sources.reduce(
      (least, source) => (source.stream() === stream ? Math.min(least, source.window()) : least),
      Number.POSITIVE_INFINITY,
    );
    const isAtHand = (source: MergedPart) => source.stream() === stream && source.window() === window;
    if (options.alive(stream)) {
      const merge = await streamMerge(sources, isAtHand, {
        retainedFrom: retainedFrom(stream, window),
        tombstones: (part) => tombstones(part, stream, window),
      });
      writer.beginWindow(window);
      for (const family of merge.families) {
        writer.beginFamily();
        const output = collectRows(writer);
        await mergeRows(merge.sourcesOf(family, writer), output);
      }
    }
    for (const source of sources) if (isAtHand(source)) source.pass();
    freeArrays();
  }
}
