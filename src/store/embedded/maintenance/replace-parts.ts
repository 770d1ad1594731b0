import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type CatalogState, mayExist } from '../catalog/catalog-state.ts';
import { hasRetention, keptFrom } from '../catalog/retention.ts';
import { CommitsEnded } from '../manifest/commit-queue.ts';
import type { Manifest, ManifestChange } from '../manifest/manifest.ts';
import type { PartNumbers, PartRecord } from '../parts/part-record.ts';
import { type PartSet, partName } from '../parts/part-set.ts';
import { offsetInWindow, windowStart } from '../rows/windows.ts';
import type { Background } from './background.ts';

export interface PartReplacerOptions {
  readonly manifest: Pick<Manifest, 'commit'>;
  readonly state: CatalogState;
  readonly parts: Pick<PartSet, 'replace'>;
  readonly directory: string;
  readonly background: Pick<Background, 'merge'>;
  readonly numbers: PartNumbers;
}

/**
 * Has the worker make one part of several neighbours of one window, or of one, without the rows that no read can see.
 * Then the manifest and the set of parts have the new part in their place; none where no row is left.
 */
export function partReplacer(options: PartReplacerOptions): (chosen: readonly PartRecord[]) => Promise<void> {
  const { manifest, state, parts, background } = options;
  return async (chosen) => {
    const { parts: made } = await background.merge({
      type: 'merge',
      parts: chosen,
      alive: aliveBits(state),
      tombstones: state.tombstones.all,
      keptFrom: keptOffsets(state, chosen[0]!.window),
      directory: options.directory,
      nextPart: options.numbers.take(1),
    });
    const changes: ManifestChange[] = [
      ...made.map((record): ManifestChange => ({ table: 'parts', key: record.number, value: record })),
      ...chosen.map(({ number }): ManifestChange => ({ table: 'parts', key: number, value: undefined })),
    ];
    await manifest.commit(changes).catch(async (error: unknown) => {
      if (!(error instanceof CommitsEnded)) await removeParts(options.directory, made);
      throw error;
    });
    parts.replace(new Set(chosen.map(({ number }) => number)), made);
  };
}

/** Removes files that no manifest names. */
async function removeParts(directory: string, records: readonly PartRecord[]): Promise<void> {
  for (const { number } of records) await unlink(join(directory, partName(number)));
}

/** Bit n is set where stream n exists, or may exist. */
function aliveBits(state: CatalogState): Uint8Array {
  const bits = new Uint8Array((state.streams.size + 7) >> 3);
  for (let stream = 0; stream < state.streams.size; stream++) {
    if (mayExist(state, stream)) bits[stream >> 3]! |= 1 << (stream & 7);
  }
  return bits;
}

/** Per stream the first offset in the window that is not expired; undefined where no row ever expires. */
function keptOffsets(state: CatalogState, window: number): Float64Array | undefined {
  if (!hasRetention(state)) return undefined;
  const start = windowStart(window);
  const now = state.believedTime();
  const offsets = new Float64Array(state.streams.size);
  const byTopic: number[] = [];
  for (let stream = 0; stream < offsets.length; stream++) {
    const topic = state.streams.topic(stream);
    byTopic[topic] ??= offsetInWindow(keptFrom(state, stream, now), start);
    offsets[stream] = byTopic[topic];
  }
  return offsets;
}
