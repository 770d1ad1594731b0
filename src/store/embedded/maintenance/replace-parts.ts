import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { minTimestamp } from '../../../domain/timestamp.ts';
import { during } from '../../../turns/long-turns.ts';
import { type CatalogState, mayExist } from '../catalog/catalog-state.ts';
import { hasRetention, retainedFrom } from '../catalog/retention.ts';
import { CommitsEnded } from '../manifest/commit-queue.ts';
import type { Manifest, ManifestChange } from '../manifest/manifest.ts';
import { type PartNumbers, type PartRecord, windowsOf } from '../parts/part-record.ts';
import { type PartSet, partName } from '../parts/part-set.ts';
import type { Background } from './background.ts';
import { apartOf } from './spread-policy.ts';

export interface PartReplacerOptions {
  readonly manifest: Pick<Manifest, 'commit'>;
  readonly state: CatalogState;
  readonly parts: Pick<PartSet, 'all' | 'replace'>;
  readonly directory: string;
  readonly background: Pick<Background, 'merge'>;
  readonly numbers: PartNumbers;
}

/**
 * Has the worker make one part of several neighbours, or of one, without the rows that no read can see; what has to stay
 * apart is a part of its own (spread-policy.ts). Then the manifest and the set of parts have the new parts in their place;
 * none where no row is left.
 */
export type PartReplacer = (chosen: readonly PartRecord[], extracted?: ReadonlySet<number>) => Promise<void>;

export function partReplacer(options: PartReplacerOptions): PartReplacer {
  const { manifest, state, parts, background } = options;
  return async (chosen, extracted) => {
    const apart = apartOf(
      parts.all.map(({ record }) => record),
      chosen,
      extracted,
    );
    const windows = new Set(chosen.flatMap(windowsOf));
    const { parts: made } = await background.merge({
      type: 'merge',
      parts: chosen,
      apart,
      alive: during('merge', () => aliveBits(state)),
      tombstones: state.tombstones.all,
      retainedFrom: during('merge', () => retainedTimes(state)),
      directory: options.directory,
      nextPart: options.numbers.take(apart.length + windows.size),
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

/** Per stream the first time (ns) that is not expired; undefined where no row ever expires. */
function retainedTimes(state: CatalogState): BigInt64Array | undefined {
  if (!hasRetention(state)) return undefined;
  const now = state.believedTime();
  const times = new BigInt64Array(state.streams.size);
  const byTopic: bigint[] = [];
  for (let stream = 0; stream < times.length; stream++) {
    const topic = state.streams.topic(stream);
    byTopic[topic] ??= retainedFrom(state, stream, now) ?? minTimestamp;
    times[stream] = byTopic[topic];
  }
  return times;
}
