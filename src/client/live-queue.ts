/** A reader of live data did not keep up with what came. */
export class TooSlow extends Error {
  constructor(items: number) {
    super(`more than ${items} live items wait to be read`);
    this.name = 'TooSlow';
  }
}

/** Items pushed by one side and iterated by the other, in order, a bounded number of them waiting. */
export interface LiveQueue<Item> extends AsyncIterableIterator<Item, undefined> {
  /** An initial item is part of one answer, however long, and does not count against the limit. */
  push(item: Item, isInitial?: boolean): void;
  /** Ends the iteration after what waits, with an error if one is given. */
  end(error?: Error): void;
}

export function liveQueue<Item>(limit: number, onEnd: () => void): LiveQueue<Item> {
  let items: Item[] = [];
  let next = 0;
  let ended: { readonly error: Error | undefined } | undefined;
  let readers: {
    resolve: (result: IteratorResult<Item, undefined>) => void;
    reject: (error: Error) => void;
  }[] = [];

  const end = (error?: Error): void => {
    if (ended !== undefined) return;
    ended = { error };
    onEnd();
    const left = readers;
    readers = [];
    for (const { resolve, reject } of left) {
      if (error === undefined) resolve({ done: true, value: undefined });
      else reject(error);
    }
  };

  return {
    push(item, isInitial = false) {
      if (ended !== undefined) return;
      const reader = readers.shift();
      if (reader !== undefined) reader.resolve({ done: false, value: item });
      else if (isInitial || items.length - next < limit) items.push(item);
      else end(new TooSlow(limit));
    },
    end,
    next() {
      if (next < items.length) {
        const value = items[next++]!;
        if (next > 1000) {
          items = items.slice(next);
          next = 0;
        }
        return Promise.resolve({ done: false, value });
      }
      if (ended === undefined) return new Promise((resolve, reject) => readers.push({ resolve, reject }));
      const { error } = ended;
      if (error === undefined) return Promise.resolve({ done: true, value: undefined });
      ended = { error: undefined };
      return Promise.reject(error);
    },
    return() {
      items = [];
      next = 0;
      end();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
