import { createSlices, takeInSlices } from '../../../turns/slices.ts';
import type { Steps } from '../../../turns/steps.ts';

/** Of all records of all stores in the process: however many they are, others wait for one slice. */
const slices = createSlices('commit');

/** Takes the steps of a commit in slices; see `takeInSlices`. */
export function commitInSlices<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  return takeInSlices(slices, steps, signal);
}
