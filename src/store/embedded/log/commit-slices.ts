import { createSlices } from '../../../slices.ts';
import type { Steps } from '../../../wire/steps.ts';

/** Of all records of all stores in the process: however many they are, others wait for one slice. */
const slices = createSlices('commit');

/**
 * Takes the steps in slices of a few milliseconds, with turns of everything else between them. Rejects with what one throws.
 * Where `hasLeft` says so, it takes no more of them, and never settles.
 */
export function takeInSlices<Result>(
  steps: Steps<Result>,
  hasLeft: () => boolean = () => false,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const run = (): void => {
      try {
        do {
          if (hasLeft()) return;
          const step = steps.next();
          if (step.done === true) {
            resolve(step.value);
            return;
          }
        } while (!slices.isOver());
        slices.later(run);
      } catch (error) {
        reject(error as Error);
      }
    };
    slices.later(run);
  });
}
