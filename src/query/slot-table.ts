import { enlarge, type QueryMemory } from './query-memory.ts';

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

/** `onNew` is asked before a slot is given out, with the number of slots then. It may throw. */
export function slotTable(memory: QueryMemory, onNew: (count: number) => void): SlotTable {
  let count = 0;
  let groups = new Uint32Array(64);
  let buckets = new Float64Array(64);
  let places = new Int32Array(128).fill(none);
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
    memory.take(places.byteLength);
    places = new Int32Array(2 * places.length).fill(none);
    for (let slot = 0; slot < count; slot++) places[placeOf(groups[slot]!, buckets[slot]!)] = slot;
  }

  return {
    get count() {
      return count;
    },
    get groupOf() {
      return groups;
    },
    get bucketOf() {
      return buckets;
    },
    slotOf(group, bucket) {
      if (group === lastGroup && bucket === lastBucket) return lastSlot;
      let place = placeOf(group, bucket);
      let slot = places[place]!;
      if (slot === none) {
        onNew(count + 1);
        if (count === groups.length) {
          grow();
          place = placeOf(group, bucket);
        }
        slot = count++;
        groups[slot] = group;
        buckets[slot] = bucket;
        places[place] = slot;
      }
      lastGroup = group;
      lastBucket = bucket;
      lastSlot = slot;
      return slot;
    },
  };
}

function hash(group: number, bucket: number): number {
  const high = Math.floor(bucket / 2 ** 32);
  const mixed =
    Math.imul(bucket >>> 0, 0x9e3779b1) ^ Math.imul(group + Math.imul(high, 0x27d4eb2f), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
