import { canHeadBytes, recognizeCan } from './can/recognize.ts';
import type { FileBytes } from './file-bytes.ts';

/** What the ends of names say of files: how each of them is read. */
export const fileKinds = {
  text: ['.csv', '.tsv', '.txt', '.vbo', '.lvm', '.asc', '.ascii', '.log'],
  motec: ['.ld'],
  mdf4: ['.mf4'],
  mcap: ['.mcap'],
  can: ['.blf', '.candump'],
  parquet: ['.parquet'],
  json: ['.json'],
} as const;

export type FileKind = keyof typeof fileKinds;

/** Kinds of files that a logger writes as bytes: channels with times of their own. */
export const logKinds: readonly FileKind[] = ['motec', 'mdf4', 'mcap', 'can'];

/** The kind of a file by the end of its name; undefined where that is none of ours. */
export function kindOfFile(name: string): FileKind | undefined {
  const end = /\.[^./\\]*$/.exec(name)?.[0].toLowerCase();
  const kinds = Object.entries(fileKinds) as [FileKind, readonly string[]][];
  return kinds.find(([, ends]) => ends.some((one) => one === end))?.[0];
}

/** Kinds whose files may be something else, as their content shows. */
const ambiguous = /\.(?:asc|log|txt)$/i;

/** The kind of a file by the end of its name and, where that may mean several, by what it begins with. */
export async function kindOfContent(name: string, file: FileBytes): Promise<FileKind | undefined> {
  const kind = kindOfFile(name);
  if (kind !== 'text' || !ambiguous.test(name)) return kind;
  const head = await file.read(0, Math.min(file.size, canHeadBytes));
  return recognizeCan(head) === undefined ? kind : 'can';
}
