import { type Pace, withoutPause } from '../../turns/pace.ts';
import { type FileBytes, FileFault, watchedBytes } from '../file-bytes.ts';
import { headBytes } from '../log-lines.ts';
import type { LoggedFile, LoggedRow } from '../logged-file.ts';
import type { Dbc } from './dbc.ts';
import { decodeFrames } from './decode-frames.ts';
import type { Counts, FrameLog } from './frame-log.ts';
import { openAsc } from './read-asc.ts';
import { openBlf } from './read-blf.ts';
import { openCandump } from './read-candump.ts';
import { type CanLogKind, recognizeCan } from './recognize.ts';

const openers: Readonly<Record<CanLogKind, (file: FileBytes) => Promise<FrameLog>>> = {
  asc: openAsc,
  blf: openBlf,
  candump: openCandump,
  'candump without times': () => {
    throw new FileFault('candump wrote this without times; candump -L or -ta writes them', undefined);
  },
};

/**
 * A log of frames of CAN buses, decoded by a DBC: each message is a table, a row stands at the time of its frame. Throws a FileFault, also without a DBC, and where it has none of the
 * frames.
 * @param onBytes is told how far it is; what it throws ends the reading
 */
export async function openCan(
  file: FileBytes,
  dbc: Dbc | undefined,
  onBytes: (bytes: number) => void = () => undefined,
  pace: Pace = withoutPause,
): Promise<LoggedFile> {
  const kind = recognizeCan(await file.read(0, Math.min(file.size, headBytes)));
  if (kind === undefined)
    throw new FileFault('this is no log of a CAN bus that is known: .asc or .blf of Vector, or candump', 0);
  if (dbc === undefined)
    throw new FileFault(
      'these are raw frames of a CAN bus; a DBC file says what they mean: --dbc FILE, or chosen with the log on the page',
      undefined,
    );
  const log = await openers[kind](watchedBytes(file, onBytes));
  let counts: Counts | undefined;
  const decoded = await decodeFrames(
    dbc,
    () => {
      const own: Counts = new Map();
      counts ??= own;
      return log.frames(own);
    },
    pace,
  );
  const leftOut = [...decoded.leftOut, ...[...counts!].map(([what, times]) => `${times} ${what}`)];
  if (decoded.tables.length === 0) {
    const why = leftOut.length === 0 ? 'there are no frames' : leftOut.join(', ');
    throw new FileFault(`nothing in the log can be decoded by the DBC: ${why}`, undefined);
  }
  const { readMixed } = decoded;
  async function* readTable(wanted: number): AsyncGenerator<LoggedRow> {
    for await (const { table, row } of readMixed()) if (table === wanted) yield row;
  }
  return {
    tables: decoded.tables.map((table, i) => ({ ...table, read: () => readTable(i) })),
    tags: [],
    metadata: {},
    start: log.start ?? 0n,
    isStartKnown: log.start !== undefined,
    leftOut,
    notes: [
      ...log.notes,
      ...(log.start === undefined ? ['the file does not say when it starts (--start TIME does)'] : []),
      ...decoded.notes,
    ],
    readMixed,
  };
}
