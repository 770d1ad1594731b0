import { createHash } from 'node:crypto';
import { PitwallError } from '../errors.ts';
import type { SavedRows } from '../expression/evaluate.ts';

/**
 * What functions along rows remember from write to write, as a text: JSON `[wording, base, numbers]`. `wording` tells the
 * expressions that it is of, with what calculated parameters stand for. `base` is the origin of times, in ns, as digits.
 * `numbers` are doubles, little-endian, in base64: for each expression how many functions it has, for each of these
 * how many states, for each state how many numbers, and these.
 */

/** Numbers of one rule and stream: it goes to the store with each write. */
export const maxMemoryNumbers = 2048;

/** @param keys of its expressions, with definitions put in place */
export function wordingOf(keys: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(keys)).digest('base64url').slice(0, 12);
}

/** All have the same origin. Throws `query_too_large`. */
export function memoryText(wording: string, saved: readonly SavedRows[]): string {
  const numbers: number[] = [];
  for (const { parts } of saved) {
    numbers.push(parts.length);
    for (const states of parts) {
      numbers.push(states.length);
      for (const state of states) {
        if (numbers.length + state.length > maxMemoryNumbers) throw tooMuch();
        numbers.push(state.length, ...state);
      }
    }
  }
  const bytes = Buffer.alloc(8 * numbers.length);
  for (const [i, value] of numbers.entries()) bytes.writeDoubleLE(value, 8 * i);
  const base = saved.find((one) => one.base !== undefined)?.base;
  return JSON.stringify([wording, base === undefined ? null : String(base), bytes.toString('base64')]);
}

/** Undefined where it is of another wording. */
export function savedOf(wording: string, text: string): SavedRows[] | undefined {
  const [of, base, encoded] = JSON.parse(text) as [string, string | null, string];
  if (of !== wording) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  let at = 0;
  const next = (): number => bytes.readDoubleLE(8 * at++);
  const list = <Item>(item: () => Item): Item[] => Array.from({ length: next() }, item);
  const saved: SavedRows[] = [];
  while (at < bytes.length / 8)
    saved.push({ base: base === null ? undefined : BigInt(base), parts: list(() => list(() => list(next))) });
  return saved;
}

function tooMuch(): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `its windows have too many values: a rule remembers ${maxMemoryNumbers} numbers of a stream, a value and its time being two; make them narrower`,
  });
}
