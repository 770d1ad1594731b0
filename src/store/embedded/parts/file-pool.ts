import { type FileHandle, open } from 'node:fs/promises';
import { isOutOfFiles } from '../../../errors.ts';

/**
 * Files that are read again and again, of which so many are open at one time: those that were read lately. What would
 * be one more waits until another is not in use. A file that was closed is opened again by its path, so its name has to
 * stay for as long as it is read.
 */
export interface FilePool {
  file(path: string): PooledFile;
  /** How many are open, or are being opened or closed. */
  readonly open: number;
  /**
   * Closes all files, each at the end of its uses. What would open one from now on waits for ever: this is for a thread
   * that ends. A thread that ends while a file is being opened leaves it open in the process (Node.js 20, 22).
   */
  close(): Promise<void>;
}

export interface PooledFile {
  /**
   * Has `action` use the file, which stays open until the promise settles. An action must not wait for the use of
   * another file of the pool. Rejects with what opening rejects with.
   */
  use<T>(action: (handle: FileHandle) => Promise<T>): Promise<T>;
  /** Closes the file, at the end of its last use; there are no more from now on. */
  close(): Promise<void>;
}

/** A file that is open; the one whose use ended first is the first to be closed. */
interface Opened {
  readonly handle: FileHandle;
  readonly forget: () => void;
}

/** @param maxFiles how many files may be open at one time, at least 1 */
export function filePool(maxFiles: number): FilePool {
  let count = 0;
  /** Files that nobody uses now, those first that have been so for longest. */
  const idle = new Set<Opened>();
  const waiting: (() => void)[] = [];
  /** Once the pool is to close: to be called when nothing is open. */
  let onEmpty: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  function wakeOne(): void {
    waiting.shift()?.();
  }

  /** Takes the room of one file. */
  async function takeRoom(): Promise<void> {
    while (count >= maxFiles || onEmpty !== undefined) {
      if (onEmpty !== undefined || !(await closeIdle()))
        await new Promise<void>((resolve) => waiting.push(resolve));
    }
    count++;
  }

  function giveRoom(): void {
    count--;
    if (onEmpty === undefined) wakeOne();
    else if (count === 0) onEmpty();
  }

  async function closeIdle(): Promise<boolean> {
    const [oldest] = idle;
    if (oldest === undefined) return false;
    idle.delete(oldest);
    await shut(oldest);
    return true;
  }

  async function shut({ handle, forget }: Opened): Promise<void> {
    forget();
    // Nothing was written, so nothing is lost; and it may be for the sake of another file.
    await handle.close().catch(() => undefined);
    giveRoom();
  }

  /** The process may have no file left though the pool has: then it gives back what nobody uses. */
  async function openAt(path: string): Promise<FileHandle> {
    await takeRoom();
    try {
      for (;;) {
        try {
          return await open(path, 'r');
        } catch (error) {
          if (!isOutOfFiles(error) || !(await closeIdle())) throw error;
        }
      }
    } catch (error) {
      giveRoom();
      throw error;
    }
  }

  async function closeAll(): Promise<void> {
    const empty = new Promise<void>((resolve) => {
      onEmpty = resolve;
    });
    while (await closeIdle());
    if (count > 0) await empty;
  }

  function pooled(path: string): PooledFile {
    let users = 0;
    let closed = false;
    let opened: Opened | undefined;
    let opening: Promise<Opened> | undefined;

    async function begin(): Promise<Opened> {
      const forget = () => {
        opened = undefined;
      };
      try {
        opened = { handle: await openAt(path), forget };
        return opened;
      } finally {
        opening = undefined;
      }
    }

    async function release(): Promise<void> {
      if (--users > 0 || opened === undefined) return;
      if (closed || onEmpty !== undefined) {
        await shut(opened);
      } else {
        idle.add(opened);
        wakeOne();
      }
    }

    return {
      async use(action) {
        if (closed) throw new Error(`${path} is closed`);
        users++;
        try {
          if (opened === undefined) opening ??= begin();
          else idle.delete(opened);
          const { handle } = opened ?? (await opening!);
          return await action(handle);
        } finally {
          await release();
        }
      },
      async close() {
        closed = true;
        if (users > 0 || opened === undefined) return;
        idle.delete(opened);
        await shut(opened);
      },
    };
  }

  return {
    file: pooled,
    get open() {
      return count;
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
