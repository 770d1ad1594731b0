import { crc32 } from 'node:zlib';
import { createSlices } from '../../../slices.ts';
import type { Steps } from '../../../wire/steps.ts';
import { bodyOf, type RecordPlace } from './log-record.ts';
import type { Slab } from './slab.ts';

/** The body of a record that is put into its slab in slices of time, and then has its checksum. */
export interface LongBody {
  /** Resolves when all of it is there; rejects with what a step throws. Pending for ever after `leave`. */
  readonly whole: Promise<void>;
  /** The CRC-32 of the body; undefined before it is whole. */
  readonly crc: number | undefined;
  /** Writes no more: the place may be given to others. */
  leave(): void;
}

/** Bodies of so many bytes are worth it: they take a fraction of a millisecond. */
export const longBodyBytes = 256 * 1024;

/** Of all bodies of all stores in the process: however many they are, others wait for one slice. */
const slices = createSlices('commit');

export function fillInSlices(slab: Slab, place: RecordPlace, steps: Steps<void>): LongBody {
  const checked = checkedSteps(bodyOf(slab, place), steps);
  let left: Steps<number> | undefined = checked;
  let crc: number | undefined;
  const whole = new Promise<void>((resolve, reject) => {
    const run = (): void => {
      try {
        do {
          const step = left?.next();
          if (step === undefined) return;
          if (step.done === true) {
            crc = step.value;
            left = undefined;
            resolve();
            return;
          }
        } while (!slices.isOver());
        slices.later(run);
      } catch (error) {
        left = undefined;
        reject(error as Error);
      }
    };
    slices.later(run);
  });
  // Who waits for it may have been told of another failure before.
  whole.catch(() => undefined);
  return {
    whole,
    get crc() {
      return crc;
    },
    leave() {
      left = undefined;
    },
  };
}

/** Bytes whose checksum is computed in one step. */
const crcBytes = 512 * 1024;

function* checkedSteps(body: Buffer, steps: Steps<void>): Steps<number> {
  yield* steps;
  let crc = 0;
  for (let at = 0; at < body.length; at += crcBytes) {
    yield;
    crc = crc32(body.subarray(at, at + crcBytes), crc);
  }
  return crc;
}
