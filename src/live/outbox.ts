/**
 * Keeps the order of what is written: an item enters when its append begins, and goes out when the append and all that
 * began before it have ended, in a turn of the event loop of its own, so that the writer's answer leaves first. Each
 * goes out once, or never where its append failed.
 */
export interface Outbox<Item> {
  enter(item: Item): Ticket;
}

export interface Ticket {
  settle(succeeded: boolean): void;
}

interface Entry<Item> {
  readonly item: Item;
  state: 'waiting' | 'done' | 'failed';
}

export function outbox<Item>(
  send: (item: Item) => void,
  soon: (action: () => void) => void = setImmediate,
): Outbox<Item> {
  let entries: Entry<Item>[] = [];
  let scheduled = false;

  function drain(): void {
    scheduled = false;
    let ended = entries.findIndex(({ state }) => state === 'waiting');
    if (ended < 0) ended = entries.length;
    const ready = entries.slice(0, ended);
    entries = entries.slice(ended);
    for (const { item, state } of ready) if (state === 'done') send(item);
  }

  return {
    enter(item) {
      const entry: Entry<Item> = { item, state: 'waiting' };
      entries.push(entry);
      return {
        settle(succeeded) {
          entry.state = succeeded ? 'done' : 'failed';
          if (scheduled || entries[0]?.state === 'waiting') return;
          scheduled = true;
          soon(drain);
        },
      };
    },
  };
}
