import { isNoSpace } from '../files/files.ts';

/** No commit is taken any more: one has failed, and what the disk holds of it is unknown. */
export class CommitsEnded extends Error {
  constructor(cause: Error) {
    super(`the catalogue cannot be written: ${cause.message}`, { cause });
    this.name = 'CommitsEnded';
  }
}

/**
 * Commits to a file, one after another, each whole or not at all. A full disk fails one commit, which may be tried
 * again. Any other failure is final, as it is for the commit log: a sync that failed cannot be repeated, for the kernel
 * may have dropped what it should have written.
 */
export interface CommitQueue {
  /**
   * Resolves when the transaction is on disk. Rejects with the disk's error where it was full: then nothing of it was
   * applied. Rejects with CommitsEnded where it failed otherwise, or an earlier one did.
   */
  commit(transaction: () => Promise<void>): Promise<void>;
  /** Does something between two commits; a failure of it is the caller's alone. Rejects with CommitsEnded as `commit` does. */
  between<T>(action: () => Promise<T>): Promise<T>;
  /** Resolves with the cause once no commit is taken any more. */
  readonly ended: Promise<CommitsEnded>;
  /** Resolves when no commit is under way. */
  idle(): Promise<void>;
}

export function commitQueue(): CommitQueue {
  let last: Promise<unknown> = Promise.resolve();
  let failure: CommitsEnded | undefined;
  let tell: (failure: CommitsEnded) => void;
  const ended = new Promise<CommitsEnded>((resolve) => {
    tell = resolve;
  });

  function enqueue<T>(action: () => Promise<T>): Promise<T> {
    const done = last.then(() => {
      if (failure !== undefined) throw failure;
      return action();
    });
    last = done.catch(() => undefined);
    return done;
  }

  return {
    commit: (transaction) =>
      enqueue(async () => {
        try {
          await transaction();
        } catch (error) {
          if (isNoSpace(error)) throw error;
          failure = new CommitsEnded(error as Error);
          tell(failure);
          throw failure;
        }
      }),
    between: enqueue,
    ended,
    idle: () => last.then(() => undefined),
  };
}
