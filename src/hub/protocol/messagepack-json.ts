import type { MemoryShare } from '../../wire/json/json-memory.ts';
import { takeReady, takeRest } from '../../wire/json/json-writer.ts';
import { tooLarge } from './message-buffer.ts';
import type { Pack } from './messagepack-reader.ts';
import { beginWriting, type WritingLimits, writeStep } from './messagepack-values.ts';

/**
 * Writes an argument in MessagePack as the JSON that says the same, straight from bytes to bytes, so that one set of
 * decoders, with its rules, limits and messages, serves both protocols and HTTP:
 *
 *   integers        their digits, 64 bits exactly
 *   floats          the shortest decimal of the double, as the same client would have sent it in JSON: an official
 *                   client in JavaScript sends nanoseconds so, and `Date.now() * 1e6` means those digits
 *   NaN, infinities the strings that stand for them
 *   bin             base64, inside `binaryValues` only
 *
 * Throws `wrong_type` for other bin, for extension types and for names that are no strings, and `too_deep`.
 */
export function jsonOfPacked(pack: Pack, maxDepth: number): Uint8Array {
  const transcript = createTranscript(pack, { maxDepth, maxBytes: Number.POSITIVE_INFINITY });
  while (transcript.step());
  return transcript.json();
}

/** The same in steps of a fraction of a millisecond, for a large argument. */
export interface Transcript {
  /** Goes on; false when the value is whole. Throws as `jsonOfPacked`, `body_too_large` (413), and what the share throws. */
  step(): boolean;
  /** The JSON, once it is whole. */
  json(): Uint8Array;
}

export interface TranscriptLimits extends WritingLimits {
  /** Where the memory of the JSON counts. */
  readonly share?: MemoryShare;
}

/** Chunks of a step that puts them together. */
const stepChunks = 8;

export function createTranscript(pack: Pack, limits: TranscriptLimits): Transcript {
  const writing = beginWriting(pack, limits);
  const done: Buffer[] = [];
  let bytes = 0;
  const collect = (): void => {
    for (const chunk of takeReady(writing.out)) {
      bytes += chunk.length;
      if (bytes > limits.maxBytes) throw tooLarge('an argument, as JSON,', limits.maxBytes);
      limits.share?.take(chunk.length);
      done.push(chunk);
    }
  };
  let json: Buffer | undefined;
  /** Chunks of it, and bytes in them, that are put together. */
  let joined = 0;
  let at = 0;
  const beginToJoin = (): boolean => {
    done.push(...takeRest(writing.out));
    if (done.length === 1) json = done[0]!;
    else json = Buffer.allocUnsafe(done.reduce((sum, chunk) => sum + chunk.length, 0));
    return done.length > 1;
  };
  const join = (whole: Buffer): boolean => {
    for (const chunk of done.slice(joined, joined + stepChunks)) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    joined += stepChunks;
    return joined < done.length;
  };
  return {
    step() {
      if (json !== undefined) return join(json);
      const hasMore = writeStep(writing);
      collect();
      return hasMore || beginToJoin();
    },

    json: () => json!,
  };
}
