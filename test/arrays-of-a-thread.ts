/**
 * What runs in a thread of its own: no other code there uses or frees arrays. It posts which of two arrays are left, when the
 * one that nobody uses is gone, or after a minute; and whether code that was compiled before is taken as it was.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { cachedDataVersionTag } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { freeArrays, freeArraysAtRest } from '../src/free-arrays.ts';

const tag = cachedDataVersionTag();
const held = Array.from({ length: 1500 }, () => new Float64Array(2048));
const kept = held[0]!;
const [inUse, unused] = [new WeakRef(kept), new WeakRef(held[1]!)];
// What a reference was made to in this turn stays until its end.
await nextTurn();
held.length = 0;
if (workerData === 'at once') freeArrays();
else {
  freeArraysAtRest(1000);
  for (let waited = 0; waited < 120 && unused.deref() !== undefined; waited++) await pause(500);
}
parentPort!.postMessage({
  inUse: inUse.deref() === kept,
  unused: unused.deref() !== undefined,
  hasTag: cachedDataVersionTag() === tag,
});
