/** What the ends of names say of files: how each of them is read. */
export const fileKinds = {
  text: ['.csv', '.tsv', '.txt', '.vbo', '.lvm', '.asc', '.ascii'],
  motec: ['.ld'],
  mdf4: ['.mf4'],
  mcap: ['.mcap'],
  parquet: ['.parquet'],
  json: ['.json'],
} as const;

export type FileKind = keyof typeof fileKinds;

/** Kinds of files that a logger writes as bytes: channels with times of their own. */
export const logKinds: readonly FileKind[] = ['motec', 'mdf4', 'mcap'];

/** The kind of a file by the end of its name; undefined where that is none of ours. */
export function kindOfFile(name: string): FileKind | undefined {
  const end = /\.[^./\\]*$/.exec(name)?.[0].toLowerCase();
  const kinds = Object.entries(fileKinds) as [FileKind, readonly string[]][];
  return kinds.find(([, ends]) => ends.some((one) => one === end))?.[0];
}
