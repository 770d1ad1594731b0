import { crc32 } from 'node:zlib';
import type { Steps } from '../../../turns/steps.ts';
import { commitInSlices } from './commit-slices.ts';
import { bodyOf, type RecordPlace } from './log-record.ts';
import type { Slab } from './slab.ts';

/** The body of a record that is put into its slab in slices of time, and then has its checksum. */
export interface LongBody {
  /** Resolves when all of it is there; rejects with what a step throws, and after `leave`. */
  readonly whole: Promise<void>;
  /** The CRC-32 of the body; undefined before it is whole. */
  readonly crc: number | undefined;
  /** Writes no more: the place may be given to others. */
  leave(): void;
}

/** Bodies of so many bytes are worth it: they take a fraction of a millisecond. */
export const longBodyBytes = 256 * 1024;

export function fillInSlices(slab: Slab, place: RecordPlace, steps: Steps<void>): LongBody {
  const leaving = new AbortController();
  const filled = commitInSlices(checkedSteps(bodyOf(slab, place), steps), leaving.signal);
  const whole = filled.then((found) => {
    body.crc = found;
  });
  // Who waits for it may have been told of another failure before.
  whole.catch(() => undefined);
  const body = {
    whole,
    crc: undefined as number | undefined,
    leave() {
      leaving.abort();
    },
  };
  return body;
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
