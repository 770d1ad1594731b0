import { enlarge, type QueryMemory } from '../bounds/query-memory.ts';

/**
 * Every pair of a group and a bucket that has rows gets a slot, numbered from 0 as they come; what is known of it
 * stands in typed arrays by slot. Open addressing over typed arrays: a million pairs are 30 MB and no garbage.
 */
export interface SlotTable {
  readonly count: number;
  /** The slot of a pair, a new one where it has none. */
  slotOf(group: number, bucket: number): number;
  readonly groupOf: Uint32Array;
  /** Buckets are whole numbers in [0, 2^53). */
  readonly bucketOf: Float64Array;
}

const none = -1;
/** Slots that there is room for at first: arrays of so few bytes cost the engine no more than an object. */
const fewest = 8;

/** `onNew` is asked before a slot is given out, with the number of slots then. It may throw. */
export function slotTable(memory: QueryMemory, onNew: (count: number) => void): SlotTable {
  let groups = new Uint32Array(fewest);
  let buckets = new Float64Array(fewest);
  let places = new Int32Array(2 * fewest).fill(none);
  /** Plain properties, kept up to date: making accessors takes longer than a small query. */
  const table = { count: 0, groupOf: groups, bucketOf: buckets, slotOf };
  let lastGroup = none;
  let lastBucket = none;
  let lastSlot = none;

  function placeOf(group: number, bucket: number): number {
    const mask = places.length - 1;
    let place = hash(group, bucket) & mask;
    for (;;) {
      const slot = places[place]!;
      if (slot === none || (buckets[slot] === bucket && groups[slot] === group)) return place;
      place = (place + 1) & mask;
    }
  }

  function grow(): void {
    groups = enlarge(groups, 2 * groups.length, memory);
    buckets = enlarge(buckets, 2 * buckets.length, memory);
    table.groupOf = groups;
    table.bucketOf = buckets;
    memory.take(places.byteLength);
    places = new Int32Array(2 * places.length).fill(none);
    for (let slot = 0; slot < table.count; slot++) places[placeOf(groups[slot]!, buckets[slot]!)] = slot;
  }

  function slotOf(group: number, bucket: number): number {
    if (group === lastGroup && bucket === lastBucket) return lastSlot;
    let place = placeOf(group, bucket);
    let slot = places[place]!;
    if (slot === none) {
      onNew(table.count + 1);
      if (table.count === groups.length) {
        grow();
        place = placeOf(group, bucket);
      }
      slot = table.count++;
      groups[slot] = group;
      buckets[slot] = bucket;
      places[place] = slot;
    }
    lastGroup = group;
    lastBucket = bucket;
    lastSlot = slot;
    return slot;
  }

  return table;
}

function hash(group: number, bucket: number): number {
  const high = Math.floor(bucket / 2 ** 32);
  const mixed =
    Math.imul(bucket >>> 0, 0x9e3779b1) ^ Math.imul(group + Math.imul(high, 0x27d4eb2f), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
