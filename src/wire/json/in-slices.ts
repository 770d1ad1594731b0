import { createSlices, takeInSlices } from '../../turns/slices.ts';
import type { Steps } from '../../turns/steps.ts';
import type { JsonLimits, MemoryShare } from './json-memory.ts';
import { bodySteps, keepRead, largeBytes } from './value.ts';

/** The size from which on bodies are decoded in slices: decoding takes up to ten milliseconds. */
export const longBodyBytes = 256 * 1024;

/** Of all bodies that are read on this thread: however many they are, others wait for one slice. */
const slices = createSlices('decode');

/** Takes the steps of reading a body in slices; see `takeInSlices`. */
export function decodeInSlices<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  return takeInSlices(slices, steps, signal);
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
  try {
    const value = await decodeInSlices(bodySteps(body, limits, share), signal);
    // What a blank body stands for is known to who asks for its value.
    if (value !== undefined) keepRead(body, () => value);
  } catch (error) {
    signal.throwIfAborted();
    // What is wrong with the body is told by who asks for its value.
    keepRead(body, () => {
      throw error;
    });
  }
}
