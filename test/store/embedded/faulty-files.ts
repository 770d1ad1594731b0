import type { Files, LogFile } from '../../../src/store/embedded/files/files.ts';

/**
 * What goes wrong: operations number `first` to `first + times - 1` (from 0; reading does not count) fail with an
 * error of that code, or, with `short`, writes among them take only a part of their bytes.
 */
export interface Fault {
  readonly code: 'EIO' | 'ENOSPC' | 'EMFILE' | 'short';
  readonly first: number;
  readonly times: number;
}

export type Operation = 'open' | 'rename' | 'remove' | 'syncDirectory' | 'write' | 'sync' | 'truncate';

export interface FaultyFiles extends Files {
  /** What has failed so far. */
  readonly hits: readonly Operation[];
  /** Has the next operations fail. */
  strike(fault: Omit<Fault, 'first'>): void;
}

/** Removing and syncing need no space, and do not fail for want of it. */
const needSpace: readonly Operation[] = ['open', 'rename', 'write', 'syncDirectory'];

/** Each opens a file, of a directory too. */
const needFiles: readonly Operation[] = ['open', 'syncDirectory'];

export function faultyFiles(files: Files, fault: Fault): FaultyFiles {
  const hits: Operation[] = [];
  let { code, first, times } = fault;
  let count = 0;

  /** Whether this operation is one that fails. */
  const strikes = (operation: Operation): boolean => {
    if (code === 'short' && operation !== 'write') return false;
    if (code === 'ENOSPC' && !needSpace.includes(operation)) return false;
    if (code === 'EMFILE' && !needFiles.includes(operation)) return false;
    const number = count++;
    if (number < first || number >= first + times) return false;
    hits.push(operation);
    return true;
  };
  const failure = () => Object.assign(new Error(`injected ${code}`), { code });
  const perform = async <T>(operation: Operation, action: () => Promise<T>): Promise<T> => {
    if (strikes(operation)) throw failure();
    return action();
  };

  const faultyFile = (file: LogFile): LogFile => ({
    ...file,
    async write(bytes, position) {
      if (!strikes('write')) return file.write(bytes, position);
      const part = Math.max(1, Math.floor(bytes.length * 0.6));
      const written = await file.write(bytes.subarray(0, part), position);
      if (code === 'short') return written;
      throw failure();
    },
    sync: () => perform('sync', file.sync),
    truncate: (bytes) => perform('truncate', () => file.truncate(bytes)),
  });

  return {
    get hits() {
      return hits;
    },
    strike(next) {
      ({ code, times } = next);
      first = count;
    },
    list: files.list,
    open: async (name, create) =>
      faultyFile(
        create || code === 'EMFILE'
          ? await perform('open', () => files.open(name, create))
          : await files.open(name, create),
      ),
    rename: (from, to) => perform('rename', () => files.rename(from, to)),
    remove: (name) => perform('remove', () => files.remove(name)),
    syncDirectory: () => perform('syncDirectory', files.syncDirectory),
  };
}

/** Bytes [from, to) of a file that the disk does not give; with `to` 0 it does not even open it. */
export interface BadRange {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Files on a disk with places that cannot be read. */
export function unreadableFiles(files: Files, bad: readonly BadRange[]): Files {
  const failure = () => Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  return {
    ...files,
    async open(name, create) {
      const own = bad.filter((range) => range.name === name);
      if (own.some(({ to }) => to === 0)) throw failure();
      const file = await files.open(name, create);
      return {
        ...file,
        async read(into, position) {
          if (own.some(({ from, to }) => position < to && position + into.length > from)) throw failure();
          return file.read(into, position);
        },
      };
    },
  };
}
