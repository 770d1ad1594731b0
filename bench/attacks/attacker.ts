import { workerData } from 'node:worker_threads';
import type { Target } from './attack.ts';
import { attacks } from './list.ts';

/** A thread of its own, so that the work of the attacker does not count as the service's. */
const { name, target } = workerData as { readonly name: string; readonly target: Target };
await attacks.find((attack) => attack.name === name)!.run(target);
