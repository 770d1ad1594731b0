import { MessageChannel } from 'node:worker_threads';
import type { CountRows } from '../../../query/bounds/running-queries.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { BegunRead, ReadThread } from './read-thread.ts';

/** A place on another thread, for portions of a read. */
export interface HelperPlace {
  /** Begins it where it does not run. Throws where the system has no thread to give. */
  thread(): ReadThread;
  give(): void;
}

/** Finds places on threads that have nothing to do, for work of so many milliseconds. */
export type FindPlaces = (leftMs: number) => readonly HelperPlace[];

export interface HelpTerms {
  readonly snapshot: Snapshot;
  readonly countRows: CountRows;
  /** One of the threads has ended. */
  readonly died: () => void;
  /** None of them uses the snapshot from here on. */
  readonly letGo: () => void;
}

/** The threads that take portions of one read, as the main thread has them. */
export interface Helpers {
  /** Whether some of them use the snapshot. */
  areThere(): boolean;
  /** Has threads take portions of a read. */
  begin(places: readonly HelperPlace[], read: Pick<BegunRead, 'helper'>): void;
  end(): void;
}

export function helpersOf({ snapshot, countRows, died, letGo }: HelpTerms): Helpers {
  const running = new Set<BegunRead>();

  function begin({ thread, give }: HelperPlace, read: Pick<BegunRead, 'helper'>): void {
    const { port1, port2 } = new MessageChannel();
    const over = () => {
      give();
      running.delete(begun);
      if (running.size === 0) letGo();
    };
    const listener = {
      told({ rowsRead, end }: { readonly rowsRead: number; readonly end: object | undefined }) {
        countRows(rowsRead);
        if (end !== undefined) over();
      },
      died() {
        over();
        died();
      },
    };
    let begun: BegunRead;
    try {
      begun = thread().begin({ snapshot, port: port1 }, listener);
    } catch {
      // It cannot be begun, or has too many reads: the others do without.
      port1.close();
      give();
      return;
    }
    running.add(begun);
    read.helper(port2);
  }

  return {
    areThere: () => running.size > 0,
    begin(places, read) {
      for (const place of places) begin(place, read);
    },
    end() {
      for (const begun of running) begun.end();
    },
  };
}
