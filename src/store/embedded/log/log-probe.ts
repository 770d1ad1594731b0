import { writeZeros } from '../files/files.ts';
import type { ActiveSlab, ActiveSlabs } from './active-slabs.ts';

/** Bytes of a group commit that failed. They may stand in the file, whole or in part. */
export interface Leftover {
  readonly active: ActiveSlab;
  readonly from: number;
  readonly to: number;
}

/** Finds out when the log takes data again, after a failure that may pass. */
export interface LogProbe {
  /** These bytes have to be erased first. */
  leave(leftover: Leftover): void;
  /** Whether there are such bytes. */
  readonly hasLeft: boolean;
  /** Tries once, in a while. */
  later(): void;
  /** Erases what was left, if the disk takes that, and tries no more. */
  close(): Promise<void>;
}

export interface LogProbeOptions {
  readonly slabs: Pick<ActiveSlabs, 'hold' | 'release' | 'ready'>;
  readonly intervalMs: number;
  readonly onReady: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** A probe does what has to be done before the next group commit can be written. */
export function logProbe({ slabs, intervalMs, onReady, onFailure }: LogProbeOptions): LogProbe {
  let leftover: Leftover | undefined;
  let timer: NodeJS.Timeout | undefined;
  let probing: Promise<void> | undefined;

  async function probe(): Promise<void> {
    try {
      await eraseLeftover();
      await slabs.ready();
      onReady();
    } catch (error) {
      onFailure(error);
    }
  }

  /** The LSNs of what was taken back are given again: a start must not find two records of one LSN. */
  async function eraseLeftover(): Promise<void> {
    if (leftover === undefined) return;
    const { active, from, to } = leftover;
    const file = await active.file;
    await writeZeros(file, from, to);
    await file.sync();
    leftover = undefined;
    slabs.release(active);
  }

  return {
    leave(found) {
      leftover = found;
      slabs.hold(found.active);
    },
    get hasLeft() {
      return leftover !== undefined;
    },
    later() {
      timer ??= setTimeout(() => {
        timer = undefined;
        probing = probe();
      }, intervalMs).unref();
    },
    async close() {
      clearTimeout(timer);
      await probing;
      // A start would take them for records.
      await eraseLeftover().catch(() => undefined);
    },
  };
}
