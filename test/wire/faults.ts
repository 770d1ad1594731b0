import assert from 'node:assert/strict';
import { type ErrorCode, PitwallError } from '../../src/errors.ts';

/** Asserts that `run` throws a PitwallError with this code, this path in its first fault, and these words. */
export function assertFault(
  run: () => unknown,
  code: ErrorCode,
  path: string,
  ...words: readonly string[]
): void {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown instanceof PitwallError, `expected ${code}, got ${String(thrown)}`);
  assert.equal(thrown.code, code, thrown.message);
  assert.equal(thrown.errors[0]?.path, path, thrown.message);
  for (const word of words)
    assert.ok(thrown.message.includes(word), `'${word}' is not in '${thrown.message}'`);
}

export function bytesOf(text: string): Buffer {
  return Buffer.from(text);
}

/** Asserts that everything but the whole text is refused, as the caller's fault. */
export function assertTruncationsFail(text: string, decode: (body: Uint8Array) => unknown): void {
  const whole = bytesOf(text);
  decode(whole);
  for (let length = 0; length < whole.length; length++) {
    assert.throws(
      () => decode(whole.subarray(0, length)),
      isInputError,
      `accepted ${length} of ${whole.length} bytes`,
    );
  }
}

export function isInputError(error: unknown): boolean {
  return error instanceof PitwallError && error.status === 400;
}
