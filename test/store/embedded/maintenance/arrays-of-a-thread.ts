/** What runs in a thread of its own: no other code there uses or frees arrays. It posts which of two arrays are left. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { freeArrays } from '../../../../src/store/embedded/maintenance/free-arrays.ts';

// What this thread takes by now is in use.
freeArrays();
const held = Array.from({ length: 1500 }, () => new Float64Array(2048));
const kept = held[0]!;
const [inUse, unused] = [new WeakRef(kept), new WeakRef(held[1]!)];
// What a reference was made to in this turn stays until its end.
await nextTurn();
held.length = 0;
freeArrays();
parentPort!.postMessage({ inUse: inUse.deref() === kept, unused: unused.deref() !== undefined });
