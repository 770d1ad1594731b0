import type { Steps } from '../wire/steps.ts';

/** Bytes that a step puts together. */
const stepBytes = 512 * 1024;
/** Chunks of a step, where they are short. */
const stepChunks = 2000;

/** Pieces of memory as one. */
export function* joined(chunks: readonly Uint8Array[]): Steps<Uint8Array> {
  if (chunks.length === 1) return chunks[0]!;
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  let stepEnd = stepBytes;
  for (const [i, chunk] of chunks.entries()) {
    if (at >= stepEnd || i % stepChunks === stepChunks - 1) {
      stepEnd = at + stepBytes;
      yield;
    }
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
