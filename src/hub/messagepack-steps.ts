import { Encoder } from '@msgpack/msgpack';
import { JsonText, type Members, Sequence } from '../live/sequence.ts';
import type { Steps } from '../wire/steps.ts';
import { jsonChunks } from './json-steps.ts';
import { isSequence, membersOf } from './json-value.ts';
import { type Effort, endsStep, noEffort, piecesOf, spend } from './step-effort.ts';

/** Data as MessagePack, in steps of a fraction of a millisecond: pieces of memory, one after the other. */
export interface PackSteps {
  readonly into: Uint8Array[];
  readonly int64AsString: boolean;
  readonly effort: Effort;
}

export function packSteps(int64AsString: boolean): PackSteps {
  return { into: [], int64AsString, effort: noEffort() };
}

const encoder = new Encoder({ useBigInt64: true });

export function* pack(to: PackSteps, value: unknown): Steps<void> {
  if (isLeaf(value)) packLeaves(to, [value]);
  else if (value instanceof JsonText) {
    const chunks = yield* jsonChunks(value.value, false);
    to.into.push(headOfText(chunks.reduce((sum, { length }) => sum + length, 0)), ...chunks);
  } else if (value instanceof Sequence || isSequence(value as object)) {
    yield* packList(to, value as Sequence | readonly unknown[]);
  } else yield* packMembers(to, membersOf(value as object));
}

function* packMembers(to: PackSteps, { names, of }: Members): Steps<void> {
  const { into, effort } = to;
  /** The head has their number, which is known when all have been made. */
  const headAt = into.push(nothing) - 1;
  let count = 0;
  for (const name of names) {
    const member = of(name);
    if (member === undefined) continue;
    count++;
    into.push(encoder.encode(name));
    yield* pack(to, member);
    if (endsStep(effort)) yield;
  }
  into[headAt] = head(0x80, 0xde, count);
}

function* packList(to: PackSteps, list: Sequence | readonly unknown[]): Steps<void> {
  const { into, effort } = to;
  const headAt = into.push(nothing) - 1;
  let count = 0;
  for (const [from, end] of piecesOf(list, effort)) {
    const piece = Array.from(list.slice(from, end)).filter((element) => element !== undefined);
    count += piece.length;
    if (piece.every(isLeaf)) packLeaves(to, piece);
    else
      for (const element of piece) {
        yield* pack(to, element);
        if (endsStep(effort)) yield;
      }
    if (endsStep(effort)) yield;
  }
  into[headAt] = head(0x90, 0xdc, count);
}

const nothing = new Uint8Array(0);

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Uint8Array;
}

/** One after the other, as the elements of a list without its head. */
function packLeaves({ into, int64AsString, effort }: PackSteps, leaves: readonly unknown[]): void {
  let begun = 0;
  const endRun = (end: number): void => {
    if (end === begun) return;
    const run = leaves.slice(begun, end);
    const plain = int64AsString ? run.map((leaf) => (typeof leaf === 'bigint' ? String(leaf) : leaf)) : run;
    into.push(encoder.encode(plain).subarray(headOfListLength(run.length)));
  };
  for (const [i, leaf] of leaves.entries()) {
    spend(effort, leaf);
    if (!Object.is(leaf, -0)) continue;
    endRun(i);
    into.push(minusZero);
    begun = i + 1;
  }
  endRun(leaves.length);
}

/** The encoder of the library makes the integer 0 of it. */
const minusZero = Uint8Array.of(0xcb, 0x80, 0, 0, 0, 0, 0, 0, 0);

/** The head of a list, or of a map: a short one in a byte, a longer one after the byte that names it. */
function head(short: number, long: number, length: number): Uint8Array {
  if (length < 16) return Uint8Array.of(short | length);
  const bytes = Buffer.alloc(length < 65_536 ? 3 : 5);
  bytes[0] = length < 65_536 ? long : long + 1;
  if (length < 65_536) bytes.writeUInt16BE(length, 1);
  else bytes.writeUInt32BE(length, 1);
  return bytes;
}

function headOfListLength(length: number): number {
  return length < 16 ? 1 : 3;
}

function headOfText(length: number): Uint8Array {
  if (length < 32) return Uint8Array.of(0xa0 | length);
  if (length < 256) return Uint8Array.of(0xd9, length);
  const bytes = Buffer.alloc(length < 65_536 ? 3 : 5);
  bytes[0] = length < 65_536 ? 0xda : 0xdb;
  if (length < 65_536) bytes.writeUInt16BE(length, 1);
  else bytes.writeUInt32BE(length, 1);
  return bytes;
}
