/**
 * Things that are kept in memory because they may be wanted again, up to a number of bytes. What was not used since it
 * was last passed over goes first (the clock algorithm: a use costs a flag). What is pinned stays, even beyond the limit.
 * So does what came last, until another comes: it may be larger than the limit.
 */
export interface MemoryBudget<Item extends CachedItem> {
  /** Keeps an item; others may go for it. */
  add(item: Item): void;
  /** An item takes so many bytes more from now on. */
  grow(item: Item, bytes: number): void;
  /** The item is not kept any more, for a reason of its owner; it is not pinned again. */
  remove(item: Item): void;
  /** Holds an item from now on, also one that has gone meanwhile. */
  pin(item: Item): void;
  unpin(item: Item): void;
  /** The bytes of all items. */
  readonly bytes: number;
  readonly limit: number;
}

export interface CachedItem {
  /** Memory that it takes. Only the budget changes it. */
  bytes: number;
  /** Asked for since it was last passed over: set by who uses it. */
  used: boolean;
  pins: number;
}

/** @param onGone told of an item that had to go */
export function memoryBudget<Item extends CachedItem>(
  limit: number,
  onGone: (item: Item) => void,
): MemoryBudget<Item> {
  const items = new Set<Item>();
  let held = 0;
  /** Of `held`, what is pinned. */
  let pinned = 0;

  function add(item: Item): void {
    if (items.has(item)) return;
    items.add(item);
    held += item.bytes;
    if (item.pins > 0) pinned += item.bytes;
    makeRoom(item);
  }

  /** @param latest stays, whatever its size */
  function makeRoom(latest: Item): void {
    if (held <= limit || held === pinned) return;
    // Each is passed over twice at most: once for its use, once to find that nothing can go.
    let left = 2 * items.size;
    for (const item of items) {
      if (held <= limit || left-- === 0) return;
      items.delete(item);
      if (item.used || item.pins > 0 || (item === latest && limit > 0)) {
        item.used = false;
        items.add(item);
      } else {
        held -= item.bytes;
        onGone(item);
      }
    }
  }

  return {
    add,
    remove(item) {
      if (!items.delete(item)) return;
      held -= item.bytes;
      if (item.pins > 0) pinned -= item.bytes;
    },
    grow(item, bytes) {
      item.bytes += bytes;
      if (!items.has(item)) return;
      held += bytes;
      if (item.pins > 0) pinned += bytes;
      makeRoom(item);
    },
    pin(item) {
      item.used = true;
      item.pins++;
      if (!items.has(item)) add(item);
      else if (item.pins === 1) pinned += item.bytes;
    },
    unpin(item) {
      item.pins--;
      if (item.pins > 0 || !items.has(item)) return;
      pinned -= item.bytes;
      makeRoom(item);
    },
    get bytes() {
      return held;
    },
    limit,
  };
}
