import { createHash } from 'node:crypto';
import type { SavedRows } from '../../expression/evaluate.ts';
import { expressionKey } from '../../expression/expression-key.ts';
import { expressionsOf } from '../../query/plan/calculated.ts';
import { maxCursorLength, notACursor } from '../../query/plan/cursor.ts';
import type { StreamKey } from '../store.ts';
import { packedNumbers, packNumbers } from './packed-numbers.ts';
import type { CalculatingPlan } from './with-columns.ts';

/**
 * What the functions of a query remember of the rows of all its streams up to the end of a page, as base64url for the cursor:
 * 16 bytes that tell the query, then packed numbers. A list begins with its length. The numbers are the list of streams, each
 *
 *   id, topic     lists of UTF-16 code units
 *   columns       the list of what each calculated column remembers:
 *     base        0, or 1 and the origin of its times: nanoseconds >> 32 and & (2³² - 1)
 *     functions   the list of functions along rows, each a list of states, each a list of numbers
 *
 * Streams without a row up to there are not in it.
 */
export interface SavedStream extends StreamKey {
  /** By calculated column, what is saved of its rows. */
  readonly columns: readonly SavedRows[];
}

const digestBytes = 16;
const version = 1;
/** More cannot stand in a cursor. */
const maxStateBytes = Math.floor((maxCursorLength * 3) / 4);
/** Each of the numbers takes a byte at least. */
export const maxStateNumbers = maxStateBytes - digestBytes;

/** Undefined where it is too large for a cursor. */
export function encodePageState(plan: CalculatingPlan, streams: readonly SavedStream[]): string | undefined {
  const numbers = [streams.length];
  const text = (one: string) =>
    numbers.push(one.length, ...Array.from({ length: one.length }, (_, i) => one.charCodeAt(i)));
  for (const { streamId, topic, columns } of streams) {
    text(streamId);
    text(topic);
    numbers.push(columns.length);
    for (const { base, parts } of columns) {
      if (base === undefined) numbers.push(0);
      else numbers.push(1, Number(base >> 32n), Number(base & 0xffff_ffffn));
      numbers.push(parts.length);
      for (const states of parts) {
        numbers.push(states.length);
        for (const state of states) numbers.push(state.length, ...state);
      }
    }
    if (numbers.length > maxStateNumbers) return undefined;
  }
  const packed = packNumbers(numbers, maxStateNumbers);
  return packed && Buffer.concat([digestOf(plan), packed]).toString('base64url');
}

/**
 * Undefined where it was made for another query: for other streams, another `from`, or expressions that mean something else
 * now. Throws `invalid_value` for what nobody has made.
 */
export function decodePageState(plan: CalculatingPlan, state: string): SavedStream[] | undefined {
  const bytes = Buffer.from(state, 'base64url');
  if (bytes.length < digestBytes) throw notACursor();
  if (!bytes.subarray(0, digestBytes).equals(digestOf(plan))) return undefined;
  const numbers = packedNumbers(bytes.subarray(digestBytes));
  const { next, list } = numbers;
  const text = () => String.fromCharCode(...list(next));
  const base = () => {
    if (next() === 0) return undefined;
    const high = BigInt(next());
    return BigInt.asIntN(64, (high << 32n) | BigInt(next()));
  };
  try {
    const streams = list(() => ({
      streamId: text(),
      topic: text(),
      columns: list(() => ({ base: base(), parts: list(() => list(() => list(next))) })),
    }));
    if (numbers.isAtEnd()) return streams;
  } catch (error) {
    // What ends too early, or tells half a nanosecond.
    if (!(error instanceof RangeError)) throw error;
  }
  throw notACursor();
}

function digestOf(plan: CalculatingPlan): Buffer {
  const { workspace, from, streamIds, topic, calculated } = plan;
  const columns = calculated.columns.map((column) => [
    ...expressionsOf(column).map(({ expression }) => expressionKey(expression)),
    column.perTopic?.map(({ topics }) => topics),
  ]);
  const query = JSON.stringify([version, workspace, String(from), streamIds, topic, columns]);
  return createHash('sha256').update(query).digest().subarray(0, digestBytes);
}
