import { Encoder } from '@msgpack/msgpack';
import { JsonText, Sequence } from '../../live/sequence.ts';
import type { Steps } from '../../turns/steps.ts';
import { jsonChunks } from './json-steps.ts';
import { isSequence, membersOf } from './json-value.ts';
import { type Effort, effortOfLong, endsStep, noEffort, piecesOf } from './step-effort.ts';

/** Data as MessagePack, in steps of a fraction of a millisecond. */
export interface PackSteps {
  /** Pieces of memory, one after the other. */
  readonly into: Uint8Array[];
  /** Simple values that come after them and are encoded together. */
  run: unknown[];
  readonly int64AsString: boolean;
  readonly effort: Effort;
}

export function packSteps(int64AsString: boolean): PackSteps {
  return { into: [], run: [], int64AsString, effort: noEffort() };
}

/** All that was packed. */
export function takePacked(to: PackSteps): Uint8Array[] {
  endRun(to);
  return to.into;
}

export function* pack(to: PackSteps, value: unknown): Steps<void> {
  if (isLeaf(value)) addLeaf(to, value);
  else if (value instanceof JsonText) {
    const chunks = yield* jsonChunks(value.value, false);
    const head = headOfText(chunks.reduce((sum, { length }) => sum + length, 0));
    for (const chunk of [head, ...chunks]) addChunk(to, chunk);
  } else if (value instanceof Sequence || isSequence(value as object)) {
    yield* packList(to, value as Sequence | readonly unknown[]);
  } else yield* packMembers(to, value as object);
}

function* packMembers(to: PackSteps, object: object): Steps<void> {
  const headAt = addChunk(to, nothing);
  let count = 0;
  for (const entry of membersOf(object)) {
    if (entry === undefined) {
      yield;
      continue;
    }
    const [name, member] = entry;
    if (member === undefined) continue;
    count++;
    addLeaf(to, name);
    if (isLeaf(member)) addLeaf(to, member);
    else yield* pack(to, member);
    if (endsStep(to.effort)) yield;
  }
  // The number is known when all have been made.
  to.into[headAt] = head(0x80, 0xde, count);
}

function* packList(to: PackSteps, list: Sequence | readonly unknown[]): Steps<void> {
  const headAt = addChunk(to, nothing);
  let count = 0;
  for (const [from, end] of piecesOf(list, to.effort)) {
    const piece = list.slice(from, end);
    if (addTogether(to, piece)) {
      count += piece.length;
      if (endsStep(to.effort)) yield;
      continue;
    }
    for (let i = 0; i < piece.length; i++) {
      const element = piece[i];
      if (element === undefined) continue;
      count++;
      if (isLeaf(element)) addLeaf(to, element);
      else {
        yield* pack(to, element);
        if (endsStep(to.effort)) yield;
      }
    }
    if (endsStep(to.effort)) yield;
  }
  to.into[headAt] = head(0x90, 0xdc, count);
}

const nothing = new Uint8Array(0);

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Uint8Array;
}

/** Where the piece stands. */
function addChunk(to: PackSteps, chunk: Uint8Array): number {
  endRun(to);
  return to.into.push(chunk) - 1;
}

/** Many simple values that the encoder of the library takes as they are; false, and nothing done, for others. */
function addTogether(to: PackSteps, piece: readonly unknown[] | ArrayLike<number>): boolean {
  if (piece.length < 16 || !Array.isArray(piece)) return false;
  let effort = piece.length;
  for (let i = 0; i < piece.length; i++) {
    const value: unknown = piece[i];
    if (typeof value === 'number') {
      if (value === 0 && Object.is(value, -0)) return false;
    } else if (typeof value === 'string') effort += effortOfLong(value);
    else if (typeof value === 'bigint') {
      if (to.int64AsString) return false;
    } else if (value !== null && typeof value !== 'boolean') return false;
  }
  to.effort.spent += effort;
  addChunk(to, withoutHead(encoder.encode(piece), piece.length));
  return true;
}

function addLeaf(to: PackSteps, leaf: unknown): void {
  to.effort.spent += 1 + (typeof leaf === 'string' || leaf instanceof Uint8Array ? effortOfLong(leaf) : 0);
  // The encoder of the library makes the integer 0 of it.
  if (leaf === 0 && Object.is(leaf, -0)) addChunk(to, minusZero);
  else {
    to.run.push(typeof leaf === 'bigint' && to.int64AsString ? String(leaf) : leaf);
    if (to.run.length === longestRun) endRun(to);
  }
}

const minusZero = Uint8Array.of(0xcb, 0x80, 0, 0, 0, 0, 0, 0, 0);
const longestRun = 500;

const encoder = new Encoder({ useBigInt64: true });

function endRun(to: PackSteps): void {
  const { run } = to;
  if (run.length === 0) return;
  to.into.push(withoutHead(encoder.encode(run), run.length));
  to.run = [];
}

/** A list of so many elements, up to some thousands. */
function withoutHead(list: Uint8Array, length: number): Uint8Array {
  return list.subarray(length < 16 ? 1 : 3);
}

/** The head of a list, or of a map: a short one in a byte, a longer one after the byte that names it. */
function head(short: number, long: number, length: number): Uint8Array {
  if (length < 16) return Uint8Array.of(short | length);
  const bytes = Buffer.alloc(length < 65_536 ? 3 : 5);
  bytes[0] = length < 65_536 ? long : long + 1;
  if (length < 65_536) bytes.writeUInt16BE(length, 1);
  else bytes.writeUInt32BE(length, 1);
  return bytes;
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
