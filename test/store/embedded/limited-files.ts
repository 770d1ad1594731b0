import type { Files, LogFile } from '../../../src/store/embedded/files/files.ts';

export interface LimitedFiles extends Files {
  /** Bytes that all files may have together. */
  room: number;
  readonly used: number;
}

/** Files of a disk of a certain size; a write that finds too little room takes none. */
export function limitedFiles(files: Files, room: number): LimitedFiles {
  const sizes = new Map<string, number>();
  const used = () => [...sizes.values()].reduce((sum, size) => sum + size, 0);

  const limited = (file: LogFile, key: { name: string }): LogFile => ({
    ...file,
    write(bytes, position) {
      const before = sizes.get(key.name) ?? 0;
      const after = Math.max(before, position + bytes.length);
      if (used() - before + after > disk.room)
        return Promise.reject(Object.assign(new Error('no room'), { code: 'ENOSPC' }));
      sizes.set(key.name, after);
      return file.write(bytes, position);
    },
    async truncate(bytes) {
      await file.truncate(bytes);
      sizes.set(key.name, bytes);
    },
  });
  const open = new Map<string, { name: string }>();

  const disk: LimitedFiles = {
    ...files,
    room,
    get used() {
      return used();
    },
    async open(name, create) {
      const file = await files.open(name, create);
      const key = { name };
      open.set(name, key);
      sizes.set(name, await file.size());
      return limited(file, key);
    },
    async rename(from, to) {
      await files.rename(from, to);
      sizes.set(to, sizes.get(from) ?? 0);
      sizes.delete(from);
      const key = open.get(from);
      if (key !== undefined) key.name = to;
    },
    async remove(name) {
      await files.remove(name);
      sizes.delete(name);
    },
  };
  return disk;
}
