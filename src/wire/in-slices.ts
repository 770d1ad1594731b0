import { createSlices } from '../slices.ts';
import type { JsonLimits, MemoryShare } from './json-memory.ts';
import type { JsonValue } from './json-value.ts';
import type { Steps as StepsTo } from './steps.ts';
import { bodySteps, keepRead, largeBytes, type Steps } from './value.ts';

/** From here on bodies of all kinds of data are worth decoding in slices: it takes up to ten milliseconds. */
export const longBodyBytes = 256 * 1024;

/** Well below a millisecond, unless the texts are long. */
const valuesOfStep = 64;

/** Of all bodies that are read on this thread: however many they are, others wait for one slice. */
const slices = createSlices('decode');

/**
 * Takes the steps in slices of a few milliseconds, with turns of everything else between them. Rejects as a step throws,
 * and with the signal's reason as soon as it aborts; then no more steps are taken.
 */
export function inSlices(step: Steps, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const run = (): void => {
      try {
        signal.throwIfAborted();
        do {
          if (step(valuesOfStep)) {
            resolve();
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

/** The same of steps that end with a result. */
export async function resultInSlices<Result>(steps: StepsTo<Result>, signal: AbortSignal): Promise<Result> {
  let result: { readonly value: Result } | undefined;
  await inSlices(() => {
    const step = steps.next();
    if (step.done === true) result = step;
    return step.done === true;
  }, signal);
  return result!.value;
}

/**
 * Reads a large body in slices, so that `decodeBody` then gives or throws at once what these bytes mean; undefined for one
 * that is not worth it. Rejects with the signal's reason only.
 */
export function readAhead(
  body: Uint8Array,
  limits: JsonLimits,
  share: MemoryShare,
  signal: () => AbortSignal,
): Promise<void> | undefined {
  return body.length < largeBytes ? undefined : readLarge(body, limits, share, signal());
}

async function readLarge(
  body: Uint8Array,
  limits: JsonLimits,
  share: MemoryShare,
  signal: AbortSignal,
): Promise<void> {
  const keep = (value: JsonValue): void => keepRead(body, () => value);
  try {
    await inSlices(bodySteps(body, limits, share, keep), signal);
  } catch (error) {
    signal.throwIfAborted();
    // What is wrong with the body is told by who asks for its value.
    keepRead(body, () => {
      throw error;
    });
  }
}
