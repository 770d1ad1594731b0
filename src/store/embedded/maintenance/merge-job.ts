import { join } from 'node:path';
import type { FilePool } from '../parts/file-pool.ts';
import { type OpenPart, openPartFile } from '../parts/part-file.ts';
import { runStart, windowOfRun } from '../parts/part-index.ts';
import { cleanLsnOf, isSpread, type PartRecord, windowsOf } from '../parts/part-record.ts';
import { partName } from '../parts/part-set.ts';
import { offsetInWindow, windowSpan, windowStart } from '../rows/windows.ts';
import { windowTombstones } from '../tombstones/stream-tombstones.ts';
import type { Tombstone } from '../tombstones/tombstone.ts';
import { tombstonesOf } from '../tombstones/tombstone-list.ts';
import { mergeParts } from './merge-parts.ts';
import { levelAbove } from './merge-policy.ts';
import type { Apart } from './spread-policy.ts';
import { cleanUpTo, type PartsMade, removeMade, writePart } from './write-part.ts';

/**
 * Makes one part of several, oldest first. Of windows that are to stay apart it makes parts of their own, and so it does
 * of windows that have become large in what was spread.
 */
export interface MergeJob {
  readonly type: 'merge';
  readonly parts: readonly PartRecord[];
  /** Windows of which rows go to parts of their own; none without it. */
  readonly apart?: readonly Apart[];
  /** Bit n says whether stream n still exists; rows of others are dropped. */
  readonly alive: Uint8Array;
  /** Deletes of rows to apply, by LSN. */
  readonly tombstones: readonly Tombstone[];
  /** Per stream the first time (ns) that is not expired; undefined where no row ever expires. */
  readonly retainedFrom: BigInt64Array | undefined;
  readonly directory: string;
  /** The number of the first part that is made: there are no more than windows and those that stay apart. */
  readonly nextPart: number;
}

/** The bytes from which on a window among others gets a part of its own. */
const ownBytes = 2 * 1024 * 1024;

/** A part to be made: of which parts, by place, and which of their windows; undefined for all. */
interface Output {
  readonly parts: readonly number[];
  readonly windows: ReadonlySet<number> | undefined;
}

/** @param files has the parts open that are read */
export async function merge(job: MergeJob, files: FilePool): Promise<PartsMade> {
  const { alive, parts, tombstones } = job;
  const open: OpenPart[] = [];
  const made: PartRecord[] = [];
  try {
    for (const { number } of parts)
      open.push(await openPartFile(join(job.directory, partName(number)), { files }));
    for (const output of await outputsOf(job, open)) await make(output);
    return { parts: made };
  } catch (error) {
    removeMade(job.directory, made);
    throw error;
  } finally {
    for (const part of open) await part.close();
  }

  async function make({ parts: places, windows }: Output): Promise<void> {
    const sources = places.map((place) => parts[place]!);
    const lastLsn = Math.max(...sources.map((part) => part.lastLsn));
    const target = {
      window: windows === undefined ? sources[0]!.window : Math.min(...windows),
      firstLsn: Math.min(...sources.map((part) => part.firstLsn)),
      lastLsn,
      // A part that is only cleaned stays what it is.
      level: levelAbove(sources),
      ...cleanUpTo(tombstones, lastLsn),
    };
    const record = await writePart(job.directory, job.nextPart + made.length, target, (writer) =>
      mergeParts(
        places.map((place) => open[place]!.reader),
        writer,
        {
          ...(windows && { windows }),
          alive: (stream) => ((alive[stream >> 3]! >> (stream & 7)) & 1) === 1,
          retainedFrom: (stream, window) =>
            job.retainedFrom === undefined
              ? 0
              : offsetInWindow(job.retainedFrom[stream], windowStart(window)),
          tombstones: (part, stream, window) =>
            windowTombstones(
              tombstonesOf(tombstones, stream),
              cleanLsnOf(sources[part]!),
              window,
              0,
              windowSpan - 1,
            ),
        },
      ),
    );
    if (record !== undefined) made.push(record);
  }
}

async function outputsOf({ parts, apart = [] }: MergeJob, open: readonly OpenPart[]): Promise<Output[]> {
  const all = [...parts.keys()];
  const having = (window: number) => all.filter((place) => windowsOf(parts[place]!).includes(window));
  const isApart = new Set(apart.map(({ window }) => window));
  const others = new Set(parts.flatMap(windowsOf).filter((window) => !isApart.has(window)));
  const outputs = apart.map(
    ({ window, parts: places }): Output => ({ parts: places, windows: new Set([window]) }),
  );
  if (parts.some(isSpread) && others.size > 1) {
    // They are read once for each part that is made.
    for (const { reader } of open) await reader.pinIndex();
    for (const window of await largeWindows(open)) {
      if (!others.delete(window)) continue;
      outputs.push({ parts: having(window), windows: new Set([window]) });
    }
  }
  if (others.size > 0) outputs.push({ parts: all, windows: outputs.length === 0 ? undefined : others });
  return outputs;
}

/** Windows with so many bytes of row groups that they are better off alone. */
async function largeWindows(open: readonly OpenPart[]): Promise<number[]> {
  const bytes = new Map<number, number>();
  for (const { reader } of open) {
    const index = await reader.readIndex();
    const { runs } = index;
    for (let run = 0; run < runs.count; run++) {
      const window = windowOfRun(runs, run);
      let sum = bytes.get(window) ?? 0;
      for (let i = runStart(runs, run); i < runs.ends[run]!; i++) sum += index.groups.lengths[i]!;
      bytes.set(window, sum);
    }
  }
  return [...bytes].filter(([, sum]) => sum >= ownBytes).map(([window]) => window);
}
