import { PitwallError } from '../../../errors.ts';
import { nextTurn } from '../../../turns/rest.ts';
import type { HeadSlab } from '../log/head.ts';
import type { LeftSlabs } from '../log/left-slabs.ts';
import type { CopyableManifest, ManifestSnapshot } from '../manifest/manifest.ts';
import type { Part } from '../parts/part-readers.ts';
import type { PartSet } from '../parts/part-set.ts';

/** What a moment is taken of. */
export interface MomentSource {
  readonly manifest: CopyableManifest;
  readonly parts: PartSet;
  readonly heads: () => readonly HeadSlab[];
  readonly left: Pick<LeftSlabs, 'pin' | 'unpin'>;
  /** Every record up to here is on disk and applied. */
  readonly syncedLsn: () => number;
}

/** One moment of the store: what a stop would have left on the disk then. Held for as long as it is needed. */
export interface Moment {
  readonly manifest: ManifestSnapshot;
  readonly parts: readonly Part[];
  /** Slabs with records that are in no part. */
  readonly heads: readonly HeadSlab[];
  readonly syncedLsn: number;
  /** Lets go of the slabs and of the manifest. */
  releaseMemory(): void;
  /** Lets go of a part that was read; nothing for a file that is no part. */
  releasePart(part: Part | undefined): void;
  /** Lets go of what is still held. */
  release(): void;
}

/**
 * The most tries to capture a moment: a commit of the manifest that has not reached the set of parts yet is over
 * after so many others.
 */
const captureTries = 1000;

/**
 * Everything is taken in one turn of the event loop, so that no change comes between. For a moment after a commit the
 * manifest names parts that the set does not have yet, and could lose; then it is tried again.
 */
export async function captureMoment(source: MomentSource, signal: AbortSignal): Promise<Moment> {
  for (let attempt = 0; attempt < captureTries; attempt++) {
    signal.throwIfAborted();
    const moment = tryCapture(source);
    if (moment !== undefined) return moment;
    await source.manifest.idle();
    await nextTurn();
  }
  throw new PitwallError('overloaded', { detail: 'parts change too fast for a backup; try again' });
}

function tryCapture({ manifest, parts, heads, left, syncedLsn }: MomentSource): Moment | undefined {
  const snapshot = manifest.snapshot();
  const known = new Map(parts.all.map((part) => [part.record.number, part]));
  let found: (Part | undefined)[];
  let appliedLsn: number;
  try {
    found = [...snapshot.entries('parts')].map(({ key }) => known.get(Number(key)));
    appliedLsn = Number(snapshot.read('meta', 'lsn') ?? 0);
  } catch (error) {
    snapshot.release();
    throw error;
  }
  const named = found.filter((part) => part !== undefined);
  if (named.length < found.length) {
    snapshot.release();
    return undefined;
  }
  const unsealed = heads().filter(({ slab }) => slab.lastLsn > appliedLsn);
  parts.pin(named);
  left.pin(unsealed);
  const pinned = new Set(named);
  let memoryHeld = true;
  const releasePart = (part: Part | undefined): void => {
    if (part !== undefined && pinned.delete(part)) parts.unpin([part]);
  };
  const releaseMemory = (): void => {
    if (!memoryHeld) return;
    memoryHeld = false;
    snapshot.release();
    left.unpin(unsealed);
  };
  return {
    manifest: snapshot,
    parts: named,
    heads: unsealed,
    syncedLsn: syncedLsn(),
    releasePart,
    releaseMemory,
    release() {
      releaseMemory();
      for (const part of [...pinned]) releasePart(part);
    },
  };
}
