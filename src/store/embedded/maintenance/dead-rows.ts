import type { Steps } from '../../../turns/steps.ts';
import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { stretchesInWindow } from '../tombstones/stream-tombstones.ts';
import type { Tombstone } from '../tombstones/tombstone.ts';
import { tombstonesOf } from '../tombstones/tombstone-list.ts';

/** What of a part is not wanted any more, as far as its index tells. */
export interface DeadRows {
  /** Bytes of row groups in all, and of those the share (by time) that no read can see; an estimate. */
  readonly bytes: number;
  readonly deadBytes: number;
  /** Whether nothing is left: no group has to be read to know that. */
  readonly all: boolean;
  /** Bytes that are left of each workspace's rows. */
  readonly liveBytes: ReadonlyMap<string, number>;
  /** Tombstones that reach a group; where one covers another that takes the same, only the newer. */
  readonly tombstones: ReadonlySet<Tombstone>;
  /** Whether there are rows of streams that are gone. */
  readonly gone: boolean;
  /** How long (ns) the oldest expired row has been expired; undefined where none is. */
  readonly expiredFor: number | undefined;
}

export interface DeadRowsOptions {
  readonly isAlive: (stream: number) => boolean;
  readonly workspaceOf: (stream: number) => string | undefined;
  /** The first offset in the window that is kept of a stream; 0 or less where all is. */
  readonly retainedFrom: (stream: number, window: number) => number;
  /** All of them, by LSN; those up to `cleanLsn` are applied in the part. */
  readonly tombstones: readonly Tombstone[];
  readonly cleanLsn: number;
}

/** What it has to know of a row group. */
type DeadGroup = Pick<GroupHandle, 'stream' | 'window' | 'length' | 'minOffset' | 'maxOffset'>;

/** The row groups that are looked at in one step. */
const groupsOfStep = 256;

/** @param groups all row groups of the part: with hundreds of thousands that takes long */
export function* deadRows(groups: Iterable<DeadGroup>, options: DeadRowsOptions): Steps<DeadRows> {
  const { isAlive, workspaceOf, retainedFrom, tombstones, cleanLsn } = options;
  const touched = new Set<Tombstone>();
  const liveBytes = new Map<string, number>();
  let deadBytes = 0;
  let all = true;
  let gone = false;
  let expiredFor: number | undefined;
  let bytes = 0;
  let looked = 0;
  for (const { stream, window, length, minOffset: first, maxOffset: last } of groups) {
    if (++looked % groupsOfStep === 0) yield;
    bytes += length;
    if (!isAlive(stream)) {
      gone = true;
      deadBytes += length;
      continue;
    }
    const kept = retainedFrom(stream, window);
    if (kept > first) expiredFor = Math.max(expiredFor ?? 0, kept - first);
    if (kept > last) {
      deadBytes += length;
      continue;
    }
    all = false;
    let share = kept > first ? (kept - first) / (last - first + 1) : 0;
    for (const layer of tombstonesOf(tombstones, stream).layers) {
      for (const inside of stretchesInWindow(layer, cleanLsn, window, first, last)) {
        touched.add(inside.tombstone);
        share += (Math.min(inside.last, last) - Math.max(inside.first, first) + 1) / (last - first + 1);
      }
    }
    const dead = Math.min(1, share) * length;
    deadBytes += dead;
    const workspace = workspaceOf(stream);
    if (workspace !== undefined) {
      liveBytes.set(workspace, (liveBytes.get(workspace) ?? 0) + Math.round(length - dead));
    }
  }
  all &&= bytes > 0;
  return { bytes, deadBytes, all, liveBytes, tombstones: touched, gone, expiredFor };
}
