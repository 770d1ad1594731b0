import { PitwallError } from '../../errors.ts';
import { MessageFault } from '../../protobuf/wire-reader.ts';
import type { Steps } from '../../turns/steps.ts';

/** Reads a body of protobuf step by step. Throws `bad_request` where it is no such message. */
export function* protobufBody(steps: Steps<void>): Steps<void> {
  try {
    yield* steps;
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    throw new PitwallError('bad_request', {
      detail: `the body is no such message of protobuf: ${error.message}`,
    });
  }
}
