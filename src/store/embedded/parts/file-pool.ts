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

/** @param maxFiles how many files may be open at one time, at least 1 */
export function filePool(maxFiles: number): FilePool {
  return new Pool(maxFiles);
}

class Pool implements FilePool {
  readonly #maxFiles: number;
  /** Files that are open, or are being opened or closed. */
  #count = 0;
  /** Files that nobody uses now, those first that have been so for longest: the first to be closed. */
  readonly #idle = new Set<FileOfPool>();
  /** Each wants the room of a file. */
  readonly #waiting: (() => void)[] = [];
  /** Once the pool is to close: to be called when nothing is open. */
  #onEmpty: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
  }

  readonly file = (path: string): PooledFile => new FileOfPool(path, this);

  get open(): number {
    return this.#count;
  }

  get isClosing(): boolean {
    return this.#onEmpty !== undefined;
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  /** The process may have no file left though the pool has: then it gives back what nobody uses. */
  async opened(path: string): Promise<FileHandle> {
    await this.#takeRoom();
    try {
      for (;;) {
        try {
          return await open(path, 'r');
        } catch (error) {
          if (!isOutOfFiles(error) || !(await this.#closeIdle())) throw error;
        }
      }
    } catch (error) {
      this.#giveRoom();
      throw error;
    }
  }

  async shut(handle: FileHandle): Promise<void> {
    // Nothing was written, so nothing is lost; and it may be for the sake of another file.
    await handle.close().catch(() => undefined);
    this.#giveRoom();
  }

  /** Nobody uses it now. */
  rest(file: FileOfPool): void {
    this.#idle.add(file);
    this.#waiting.shift()?.();
  }

  /** Somebody uses it again, or it is to be closed. */
  takeBack(file: FileOfPool): void {
    this.#idle.delete(file);
  }

  /** Takes the room of one file. */
  async #takeRoom(): Promise<void> {
    while (this.#count >= this.#maxFiles || this.isClosing) {
      if (this.isClosing || !(await this.#closeIdle()))
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#count++;
  }

  #giveRoom(): void {
    this.#count--;
    if (this.#onEmpty === undefined) this.#waiting.shift()?.();
    else if (this.#count === 0) this.#onEmpty();
  }

  async #closeIdle(): Promise<boolean> {
    const [oldest] = this.#idle;
    if (oldest === undefined) return false;
    this.#idle.delete(oldest);
    await oldest.shut();
    return true;
  }

  async #closeAll(): Promise<void> {
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    while (await this.#closeIdle());
    if (this.#count > 0) await empty;
  }
}

class FileOfPool implements PooledFile {
  readonly #path: string;
  readonly #pool: Pool;
  #users = 0;
  #isClosed = false;
  #handle: FileHandle | undefined;
  /** All that want it while it is being opened wait for the same. */
  #opening: Promise<FileHandle> | undefined;

  constructor(path: string, pool: Pool) {
    this.#path = path;
    this.#pool = pool;
  }

  async use<T>(action: (handle: FileHandle) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error(`${this.#path} is closed`);
    this.#users++;
    try {
      if (this.#handle === undefined) this.#opening ??= this.#open();
      else this.#pool.takeBack(this);
      return await action(this.#handle ?? (await this.#opening!));
    } finally {
      await this.#release();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#users > 0 || this.#handle === undefined) return;
    this.#pool.takeBack(this);
    await this.shut();
  }

  /** The next use opens it again. */
  async shut(): Promise<void> {
    const handle = this.#handle!;
    this.#handle = undefined;
    await this.#pool.shut(handle);
  }

  async #open(): Promise<FileHandle> {
    try {
      this.#handle = await this.#pool.opened(this.#path);
      return this.#handle;
    } finally {
      this.#opening = undefined;
    }
  }

  async #release(): Promise<void> {
    if (--this.#users > 0 || this.#handle === undefined) return;
    if (this.#isClosed || this.#pool.isClosing) await this.shut();
    else this.#pool.rest(this);
  }
}
