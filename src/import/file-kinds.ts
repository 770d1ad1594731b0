import { recognizeCan } from './can/recognize.ts';
import { packingOf, unpackedName } from './compression/unpacked-file.ts';
import type { FileBytes } from './file-bytes.ts';
import { type FileKind, fileKinds } from './file-ends.ts';
import { headBytes } from './log-lines.ts';
import { isNmea } from './position/recognize-nmea.ts';

/** Kinds of files that a logger writes of channels with times of their own. */
export const logKinds: readonly FileKind[] = ['motec', 'mdf4', 'mcap', 'can', 'nmea', 'gpx'];

/** Kinds that are read from any place: packed files are read from their start to their end. */
const unpackedKinds: readonly FileKind[] = ['motec', 'mdf4', 'mcap', 'parquet', 'arrow'];

/** The kind of a file by the end of its name, of a packed one by the end before that; undefined where that is none of ours. */
export function kindOfFile(name: string): FileKind | undefined {
  const end = /\.[^./\\]*$/.exec(unpackedName(name))?.[0].toLowerCase();
  const kinds = Object.entries(fileKinds) as [FileKind, readonly string[]][];
  const kind = kinds.find(([, ends]) => ends.some((one) => one === end))?.[0];
  return kind !== undefined && packingOf(name) !== undefined && unpackedKinds.includes(kind)
    ? undefined
    : kind;
}

/** Whether a file of such a name may be something else, as its content shows. */
export function isAmbiguous(name: string): boolean {
  return kindOfFile(name) === 'text' && /\.(?:asc|log|txt)$/i.test(unpackedName(name));
}

/** The kind of a file by the end of its name and, where that may mean several, by what it begins with. */
export async function kindOfContent(name: string, file: FileBytes): Promise<FileKind | undefined> {
  if (!isAmbiguous(name)) return kindOfFile(name);
  const head = await file.read(0, Math.min(file.size, headBytes));
  if (recognizeCan(head) !== undefined) return 'can';
  return isNmea(head) ? 'nmea' : 'text';
}
