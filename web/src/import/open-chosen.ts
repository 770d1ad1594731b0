import type { FileBytes } from '../../../src/import/file-bytes.ts';
import type { LoggedFile } from '../../../src/import/logged-file.ts';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
import type { Reading } from './pace.ts';
import { reviewText, type TextReview } from './review-text.ts';

/** A file that was looked through, of one of two kinds: text with rows, or what a logger writes as bytes. */
export type Opened =
  | { readonly kind: 'text'; readonly bytes: FileBytes; readonly review: TextReview }
  | {
      readonly kind: 'log';
      readonly log: LoggedFile;
      /** Names of the channels that are left out. */
      readonly without: ReadonlySet<string>;
      /** Of the recording: that of the file, or another, ns since the Unix epoch. */
      readonly start: bigint;
    };

/** Pieces of a file are read when they are asked for: a large one is never in memory as a whole. */
export function bytesOf(file: Blob): FileBytes {
  return {
    size: file.size,
    read: async (offset, length) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer()),
  };
}

/** Longest .ldx file: laps are a few hundred bytes each. */
const longestLdx = 16 << 20;

/** Opens a file by the end of its name; each reader is loaded when its first file comes. */
export async function openChosen(
  file: File,
  beside: File | undefined,
  settings: TextSettings,
  reading: Reading,
): Promise<Opened> {
  const bytes = bytesOf(file);
  const log = await openLog(file, bytes, beside, reading);
  if (log !== undefined) return { kind: 'log', log, without: new Set(), start: log.start };
  return { kind: 'text', bytes, review: await reviewText(bytes, settings, reading) };
}

async function openLog(
  file: File,
  bytes: FileBytes,
  beside: File | undefined,
  { onBytes, pace }: Reading,
): Promise<LoggedFile | undefined> {
  switch (/\.[^.]*$/.exec(file.name)?.[0].toLowerCase()) {
    case '.ld': {
      const { openLd } = await import('../../../src/import/motec/open-ld.ts');
      if (beside !== undefined && beside.size > longestLdx) throw new Error('The .ldx file is too large.');
      return openLd(bytes, await beside?.text());
    }
    case '.ldx':
      throw new Error('An .ldx file has laps only: choose it together with its .ld file.');
    case '.mf4': {
      const { openMdf4 } = await import('../../../src/import/mdf4/open-mdf4.ts');
      const log = await openMdf4(bytes);
      await readThrough(log, bytes.size, { onBytes, pace });
      return log;
    }
    case '.mcap': {
      const { openMcap } = await import('../../../src/import/mcap/open-mcap.ts');
      return openMcap(bytes, { onBytes, pace });
    }
    default:
      return undefined;
  }
}

/** Records may be compressed: what is wrong with them shows when they are read. Nothing is written of a file with a fault. */
async function readThrough(log: LoggedFile, size: number, { onBytes, pace }: Reading): Promise<void> {
  const { rowCount } = await import('../../../src/import/log-batches.ts');
  const { rowsOf } = await import('../../../src/import/logged-file.ts');
  const rows = rowCount(log);
  let read = 0;
  for await (const _row of rowsOf(log)) {
    read++;
    const pause = pace();
    if (pause === undefined) continue;
    onBytes((read / rows) * size);
    await pause;
  }
}
