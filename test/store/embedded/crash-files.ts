import type { Files, LogFile } from '../../../src/store/embedded/files/files.ts';
import type { Random } from './random.ts';

/**
 * A disk in memory that tells what is synced from what only the page cache holds. Only one process uses it; what
 * that one has under way when it ends stays half done, and its promises never settle.
 */
export interface Disk {
  /** The files as a new process sees them. */
  start(): Files;
  /** kill -9: the process is gone, the page cache stays. */
  kill(random: Random): void;
  /**
   * Power cut: what was synced stays. Of writes since then each sector of 512 bytes stays, is lost, or (seldom) holds
   * garbage; of names created, renamed and removed since the directory was synced any may be lost.
   */
  cut(random: Random): void;
  /** The bytes of a file as they are now; changing them changes the file, synced. */
  bytesOf(name: string): Uint8Array;
  truncate(name: string, size: number): void;
  names(): string[];
}

interface Inode {
  /** What a process reads. */
  bytes: Uint8Array;
  /** What a power cut leaves for sure. */
  synced: Uint8Array;
  /** Ranges written since. */
  unsynced: { from: number; to: number }[];
}

interface NameChange {
  readonly inode: Inode;
  readonly removed: string | undefined;
  readonly added: string | undefined;
}

interface WriteUnderWay {
  readonly inode: Inode;
  readonly bytes: Uint8Array;
  readonly position: number;
}

const sectorBytes = 512;

export function simulatedDisk(): Disk {
  let names = new Map<string, Inode>();
  let syncedNames = new Map<string, Inode>();
  let nameChanges: NameChange[] = [];
  const underWay = new Set<WriteUnderWay>();
  let process = 0;

  function store({ inode, bytes, position }: WriteUnderWay, count = bytes.length): void {
    if (count === 0) return;
    const end = position + count;
    if (end > inode.bytes.length) inode.bytes = resized(inode.bytes, end);
    inode.bytes.set(bytes.subarray(0, count), position);
    inode.unsynced.push({ from: position, to: end });
  }

  function endProcess(random: Random): void {
    process++;
    for (const write of underWay) store(write, random.int(0, write.bytes.length));
    underWay.clear();
  }

  function change(removed: string | undefined, added: string | undefined, inode: Inode): void {
    const done = { inode, removed, added };
    nameChanges.push(done);
    applyChange(names, done);
  }

  function find(name: string): Inode {
    const inode = names.get(name);
    if (inode === undefined) throw Object.assign(new Error(`no file ${name}`), { code: 'ENOENT' });
    return inode;
  }

  function start(): Files {
    const own = process;
    /** One step of an operation; a process that ended while it took place never hears of it. */
    const step = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (own !== process) await new Promise(() => undefined);
    };
    const act = async <T>(action: () => T): Promise<T> => {
      await step();
      const result = action();
      await step();
      return result;
    };
    return {
      list: () => act(() => [...names.keys()]),
      open: (name, create) =>
        act(() => {
          if (create) {
            if (names.has(name)) throw Object.assign(new Error(`${name} exists`), { code: 'EEXIST' });
            change(undefined, name, { bytes: new Uint8Array(0), synced: new Uint8Array(0), unsynced: [] });
          }
          return openFile(find(name), own, act);
        }),
      rename: (from, to) => act(() => change(from, to, find(from))),
      remove: (name) => act(() => change(name, undefined, find(name))),
      syncDirectory: () =>
        act(() => {
          syncedNames = new Map(names);
          nameChanges = [];
        }),
    };
  }

  function openFile(inode: Inode, own: number, act: <T>(action: () => T) => Promise<T>): LogFile {
    return {
      write(bytes, position) {
        const write = { inode, bytes: bytes.slice(), position };
        if (own === process) underWay.add(write);
        return act(() => {
          underWay.delete(write);
          store(write);
          return bytes.length;
        });
      },
      sync: () =>
        act(() => {
          inode.synced = inode.bytes.slice();
          inode.unsynced = [];
        }),
      truncate: (bytes) =>
        act(() => {
          inode.bytes = inode.bytes.slice(0, bytes);
        }),
      size: () => act(() => inode.bytes.length),
      read: (into, position) =>
        act(() => {
          const found = inode.bytes.subarray(position, position + into.length);
          into.set(found);
          return found.length;
        }),
      close: () => act(() => undefined),
    };
  }

  return {
    start,
    kill: endProcess,
    cut(random) {
      endProcess(random);
      const left = new Map(syncedNames);
      for (const done of nameChanges) if (random.chance(0.5)) applyChange(left, done);
      for (const inode of new Set(left.values())) {
        inode.bytes = afterCut(inode, random);
        inode.synced = inode.bytes.slice();
        inode.unsynced = [];
      }
      names = left;
      syncedNames = new Map(left);
      nameChanges = [];
    },
    bytesOf: (name) => find(name).bytes,
    truncate(name, size) {
      const inode = find(name);
      inode.bytes = inode.bytes.slice(0, size);
      inode.synced = inode.bytes.slice();
    },
    names: () => [...names.keys()].sort(),
  };
}

function applyChange(names: Map<string, Inode>, { inode, removed, added }: NameChange): void {
  if (removed !== undefined && names.get(removed) === inode) names.delete(removed);
  if (added !== undefined) names.set(added, inode);
}

function afterCut({ bytes, synced, unsynced }: Inode, random: Random): Uint8Array {
  let left = synced.slice();
  for (const { from, to } of unsynced) {
    for (let at = from; at < to; ) {
      const end = Math.min(to, (Math.floor(at / sectorBytes) + 1) * sectorBytes);
      const fate = random.next();
      if (fate < 0.55) {
        if (end > left.length) left = resized(left, end);
        left.set(fate < 0.05 ? random.bytes(end - at) : bytes.subarray(at, end), at);
      }
      at = end;
    }
  }
  return left;
}

function resized(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(size);
  result.set(bytes.subarray(0, size));
  return result;
}
