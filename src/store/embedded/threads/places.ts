/**
 * Who reads when on which thread. A thread has places for a few long reads, which share it by turns, and others for short
 * ones, so that these never wait for long ones to end. A read that waits for its client has no place meanwhile. No owner
 * takes all places of a kind: one more always finds some. Of owners that wait, the one that reads least comes first.
 */
export interface Places {
  /**
   * Takes a place, at once where one is free. Rejects with the signal's reason.
   *
   * @param thread the number of the thread that it has to be on; by default the one with the fewest reads
   */
  take(owner: string, isLong: boolean, signal: AbortSignal, thread?: number): Place | Promise<Place>;
  /** Takes one on each thread that has no reads, as far as the owner may have more. */
  takeIdle(owner: string, isLong: boolean): readonly Place[];
  /** How many reads have a place. */
  readonly taken: number;
  readonly waiting: number;
}

export interface Place {
  readonly thread: number;
  /** Does nothing the second time. */
  give(): void;
}

/** The places of a thread, of each kind. */
const placesOfThread = 4;
/** The most places of a thread that one owner takes. */
const placesOfOwner = 3;

interface Waiting {
  readonly owner: string;
  readonly thread: number | undefined;
  readonly begin: (place: Place) => void;
}

/** Places of one kind. */
interface Kind {
  readonly used: number[];
  readonly owners: Map<string, number>;
  readonly waiting: Set<Waiting>;
}

export function readPlaces(threads: number): Places {
  const kindOf = (): Kind => ({
    used: new Array<number>(threads).fill(0),
    owners: new Map(),
    waiting: new Set(),
  });
  const long = kindOf();
  const short = kindOf();

  /** The thread with the fewest reads that has a place, or the one that is wanted; undefined where there is none. */
  function freeThread(kind: Kind, wanted: number | undefined): number | undefined {
    if (wanted !== undefined) return kind.used[wanted]! < placesOfThread ? wanted : undefined;
    let best: number | undefined;
    const load = (thread: number) => long.used[thread]! + short.used[thread]!;
    for (let thread = 0; thread < threads; thread++) {
      if (kind.used[thread]! >= placesOfThread) continue;
      if (best === undefined || load(thread) < load(best)) best = thread;
    }
    return best;
  }

  function readsOf(kind: Kind, owner: string): number {
    return kind.owners.get(owner) ?? 0;
  }

  function mayTake(kind: Kind, owner: string): boolean {
    return readsOf(kind, owner) < placesOfOwner * threads;
  }

  function place(kind: Kind, owner: string, thread: number): Place {
    kind.used[thread]!++;
    kind.owners.set(owner, readsOf(kind, owner) + 1);
    let isHeld = true;
    return {
      thread,
      give() {
        if (!isHeld) return;
        isHeld = false;
        kind.used[thread]!--;
        const left = readsOf(kind, owner) - 1;
        if (left === 0) kind.owners.delete(owner);
        else kind.owners.set(owner, left);
        while (beginNext(kind));
      },
    };
  }

  /** Whether one could begin: a place that is given serves two where it frees its thread for one and its owner for another. */
  function beginNext(kind: Kind): boolean {
    let next: Waiting | undefined;
    for (const one of kind.waiting) {
      if (!mayTake(kind, one.owner) || freeThread(kind, one.thread) === undefined) continue;
      if (next === undefined || readsOf(kind, one.owner) < readsOf(kind, next.owner)) next = one;
    }
    if (next === undefined) return false;
    kind.waiting.delete(next);
    next.begin(place(kind, next.owner, freeThread(kind, next.thread)!));
    return true;
  }

  return {
    take(owner, isLong, signal, wanted) {
      const kind = isLong ? long : short;
      const thread = mayTake(kind, owner) ? freeThread(kind, wanted) : undefined;
      if (thread !== undefined) return place(kind, owner, thread);
      if (signal.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const leave = () => {
          kind.waiting.delete(one);
          reject(signal.reason);
        };
        const one: Waiting = {
          owner,
          thread: wanted,
          begin(taken) {
            signal.removeEventListener('abort', leave);
            resolve(taken);
          },
        };
        kind.waiting.add(one);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
    takeIdle(owner, isLong) {
      const kind = isLong ? long : short;
      const found: Place[] = [];
      for (let thread = 0; thread < threads && mayTake(kind, owner); thread++)
        if (long.used[thread] === 0 && short.used[thread] === 0) found.push(place(kind, owner, thread));
      return found;
    },
    get taken() {
      return [...long.used, ...short.used].reduce((sum, used) => sum + used, 0);
    },
    get waiting() {
      return long.waiting.size + short.waiting.size;
    },
  };
}
