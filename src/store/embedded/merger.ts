import type { Background } from './background.ts';
import type { CatalogState } from './catalog-state.ts';
import { isNoSpace } from './files.ts';
import type { Flusher } from './flush.ts';
import type { Change, Manifest } from './manifest.ts';
import { chooseMerge, type PartRecord } from './merge-policy.ts';
import type { PartSet } from './part-set.ts';

/** Merges parts in the background for as long as the policy finds something to do. */
export interface Merger {
  /** Looks for work; called when parts were added. */
  wake(): void;
  close(): Promise<void>;
}

export interface MergerOptions {
  readonly manifest: Manifest;
  readonly state: CatalogState;
  readonly parts: PartSet;
  readonly directory: string;
  readonly background: Background;
  readonly flush: Flusher;
  readonly log: { warn(fields: object, message: string): void };
}

export function merger(options: MergerOptions): Merger {
  const { manifest, state, parts, background, flush } = options;
  let working: Promise<void> | undefined;
  let closed = false;
  /** Parts of a merge that failed; they stay as they are until the next start. */
  const failed = new Set<number>();

  async function work(): Promise<void> {
    while (!closed) {
      const chosen = chooseMerge(
        parts.all.map(({ record }) => record),
        failed,
      );
      if (chosen === undefined) return;
      try {
        await merge(chosen);
      } catch (error) {
        if (closed) return;
        if (isNoSpace(error)) {
          options.log.warn({}, 'parts could not be merged: the disk is full');
          return;
        }
        for (const { number } of chosen) failed.add(number);
        options.log.warn(
          { error: (error as Error).message, parts: chosen.map(({ number }) => number) },
          'parts could not be merged',
        );
      }
    }
  }

  async function merge(chosen: readonly PartRecord[]): Promise<void> {
    const { parts: made } = await background.merge({
      type: 'merge',
      parts: chosen,
      alive: aliveBits(state),
      masks: state.masks.all,
      directory: options.directory,
      nextPart: flush.takePartNumbers(1),
    });
    const changes: Change[] = [
      ...made.map((record): Change => ({ table: 'parts', key: record.number, value: record })),
      ...chosen.map(({ number }): Change => ({ table: 'parts', key: number, value: undefined })),
    ];
    await manifest.commit(changes);
    parts.replace(new Set(chosen.map(({ number }) => number)), made);
  }

  return {
    wake() {
      if (closed) return;
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    async close() {
      closed = true;
      await background.close();
      await working?.catch(() => undefined);
    },
  };
}

/** Bit n is set where stream n exists, or may exist. */
function aliveBits({ streams, unreadable }: CatalogState): Uint8Array {
  const bits = new Uint8Array((streams.size + 7) >> 3);
  for (let stream = 0; stream < streams.size; stream++) {
    if (streams.isVisible(stream) || unreadable.has(stream)) bits[stream >> 3]! |= 1 << (stream & 7);
  }
  return bits;
}
