import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * What a power cut leaves for sure, of all files below one folder: kept beside that folder, in files, so that the
 * threads of a process share it. `<id>` has the synced bytes of a file, `names-<id>` the synced names of a folder.
 */
export interface DiskRecord {
  /** Everything written to the open file is on disk now. */
  fileSynced(descriptor: number): void;
  /** These bytes of it are. */
  bytesSynced(descriptor: number, bytes: Uint8Array, position: number): void;
  /** The names in a folder are. */
  folderSynced(path: string): void;
  /** The synced bytes of a file; none where it was never synced. */
  bytesOf(id: string): Buffer;
  /** Has the file stand for these bytes, synced. */
  put(id: string, bytes: Uint8Array): void;
  /** By name the id of the file; undefined where the folder was never synced. */
  namesOf(path: string): Record<string, string> | undefined;
  putNames(path: string, names: Readonly<Record<string, string>>): void;
}

/** Tells a file from all others that were ever there, whatever it is called. */
export function idOf(found: { readonly ino: bigint; readonly birthtimeNs: bigint }): string {
  return `${found.ino}-${found.birthtimeNs}`;
}

/** By name the ids of the files, folders left out, that a folder has now. */
export function namesNow(folder: string): Record<string, string> {
  const names: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const found = statSync(join(folder, entry.name), { bigint: true, throwIfNoEntry: false });
    if (found !== undefined) names[entry.name] = idOf(found);
  }
  return names;
}

let temporary = 0;
/** Nobody wakes who waits for it. */
const never = new Int32Array(new SharedArrayBuffer(4));

/** Takes a lock; false where another has it. */
function isTaken(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

export function diskRecord(directory: string): DiskRecord {
  mkdirSync(directory, { recursive: true });
  const pathOf = (id: string) => join(directory, id);
  const folderId = (path: string) => `names-${idOf(statSync(path, { bigint: true }))}`;

  /** Other threads find the whole of it or what was before. */
  function replace(id: string, write: (path: string) => void): void {
    const path = join(directory, `new-${process.hrtime.bigint()}-${temporary++}`);
    write(path);
    renameSync(path, pathOf(id));
  }

  /** Has threads do something one after the other: what one has seen would take the place of what another saw later. */
  function alone(id: string, work: () => void): void {
    const lock = `${pathOf(id)}.lock`;
    while (!isTaken(lock)) Atomics.wait(never, 0, 0, 1);
    try {
      work();
    } finally {
      unlinkSync(lock);
    }
  }

  return {
    fileSynced(descriptor) {
      const id = idOf(fstatSync(descriptor, { bigint: true }));
      replace(id, (path) => copyFileSync(`/proc/self/fd/${descriptor}`, path));
    },
    bytesSynced(descriptor, bytes, position) {
      const id = idOf(fstatSync(descriptor, { bigint: true }));
      const file = openSync(pathOf(id), existsSync(pathOf(id)) ? 'r+' : 'w');
      try {
        if (fstatSync(file).size < position) ftruncateSync(file, position);
        writeSync(file, bytes, 0, bytes.length, position);
      } finally {
        closeSync(file);
      }
    },
    folderSynced(path) {
      const id = folderId(path);
      alone(id, () => replace(id, (to) => writeFileSync(to, JSON.stringify(namesNow(path)))));
    },
    bytesOf: (id) => (existsSync(pathOf(id)) ? readFileSync(pathOf(id)) : Buffer.alloc(0)),
    put: (id, bytes) => replace(id, (path) => writeFileSync(path, bytes)),
    namesOf(path) {
      const id = folderId(path);
      if (!existsSync(pathOf(id))) return undefined;
      return JSON.parse(readFileSync(pathOf(id), 'utf8')) as Record<string, string>;
    },
    putNames: (path, names) => replace(folderId(path), (to) => writeFileSync(to, JSON.stringify(names))),
  };
}
