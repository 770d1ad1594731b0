import { during } from '../turns/long-turns.ts';
import { inNextTurn } from '../turns/rest.ts';

/**
 * Keeps the order of what is written: an item enters when its append begins, and goes out when the append and all that
 * began before it have ended, in a turn of the event loop of its own, so that the writer's answer leaves first. Each
 * goes out once, or never where its append failed.
 *
 * One append that does not end holds up all that began after it. Of those whose own append has ended no more than
 * `maxHeldBytes` are kept; an item beyond it goes out in its turn as `cut` leaves it.
 */
export interface Outbox<Item> {
  enter(item: Item): Ticket;
}

export interface Ticket {
  settle(succeeded: boolean): void;
}

export interface OutboxOptions<Item> {
  readonly send: (item: Item) => void;
  /** What an item holds that `cut` takes away. */
  readonly bytesOf: (item: Item) => number;
  /** An item that is as good as empty, and says what it lacks. */
  readonly cut: (item: Item) => Item;
  readonly maxHeldBytes: number;
  readonly soon?: (action: () => void) => void;
}

interface Entry<Item> {
  /** Undefined where its append failed. */
  item: Item | undefined;
  state: 'waiting' | 'done' | 'failed' | 'out';
  heldBytes: number;
}

export function outbox<Item>(options: OutboxOptions<Item>): Outbox<Item> {
  const { send, bytesOf, cut, maxHeldBytes, soon = inNextTurn } = options;
  let entries: Entry<Item>[] = [];
  /** Entries that have succeeded since the last turn. */
  let fresh: Entry<Item>[] = [];
  let heldBytes = 0;
  let scheduled = false;

  /** Takes the entries at the front that have ended. */
  function takeReady(): Entry<Item>[] {
    let ended = entries.findIndex(({ state }) => state === 'waiting');
    if (ended === 0) return [];
    if (ended < 0) ended = entries.length;
    const ready = entries.slice(0, ended);
    entries = entries.slice(ended);
    return ready;
  }

  function hold(entry: Entry<Item>): void {
    const item = entry.item as Item;
    const bytes = bytesOf(item);
    if (bytes > 0 && heldBytes + bytes > maxHeldBytes) {
      entry.item = cut(item);
      return;
    }
    entry.heldBytes = bytes;
    heldBytes += bytes;
  }

  function drain(): void {
    scheduled = false;
    const ready = takeReady().filter(({ state }) => state === 'done');
    for (const entry of ready) {
      entry.state = 'out';
      heldBytes -= entry.heldBytes;
    }
    // What ends in one turn is no backlog, however much it is. What is still there after the turn is one.
    for (const entry of fresh) if (entry.state === 'done') hold(entry);
    fresh = [];
    during('live', () => {
      for (const { item } of ready) send(item as Item);
    });
  }

  return {
    enter(item) {
      const entry: Entry<Item> = { item, state: 'waiting', heldBytes: 0 };
      entries.push(entry);
      return {
        settle(succeeded) {
          entry.state = succeeded ? 'done' : 'failed';
          if (succeeded) fresh.push(entry);
          else entry.item = undefined;
          if (scheduled) return;
          scheduled = true;
          soon(drain);
        },
      };
    },
  };
}
