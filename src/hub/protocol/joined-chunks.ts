import type { Steps } from '../../turns/steps.ts';

/** Bytes that a step puts together. */
const stepBytes = 512 * 1024;
/** Chunks of a step, where they are short. */
const stepChunks = 2000;

const nothing = new Uint8Array(0);

/** Pieces of memory as one, with a head in front that says how long they are together. */
export function* joined(
  chunks: readonly Uint8Array[],
  headOf: (length: number) => Uint8Array = () => nothing,
): Steps<Uint8Array> {
  let length = 0;
  for (let i = 0; i < chunks.length; i++) {
    length += chunks[i]!.length;
    if (i % (10 * stepChunks) === 10 * stepChunks - 1) yield;
  }
  const head = headOf(length);
  if (chunks.length === 1 && head.length === 0) return chunks[0]!;
  const whole = Buffer.allocUnsafe(head.length + length);
  whole.set(head);
  let at = head.length;
  let stepEnd = stepBytes;
  for (let i = 0; i < chunks.length; i++) {
    if (at >= stepEnd || i % stepChunks === stepChunks - 1) {
      stepEnd = at + stepBytes;
      yield;
    }
    whole.set(chunks[i]!, at);
    at += chunks[i]!.length;
  }
  return whole;
}
