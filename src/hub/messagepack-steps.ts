import { Encoder } from '@msgpack/msgpack';
import { JsonText, Sequence } from '../live/sequence.ts';
import type { Steps } from '../wire/steps.ts';
import { jsonChunks } from './json-steps.ts';
import { isSequence } from './json-value.ts';

/** Values of a step, and of a piece that the encoder of the library makes at once. */
const pieceValues = 500;

const encoder = new Encoder({ useBigInt64: true });

/** A value of an event as MessagePack, in steps of a fraction of a millisecond: pieces of memory, in `into`. */
export function* pack(value: unknown, int64AsString: boolean, into: Uint8Array[]): Steps<void> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) {
    into.push(encoder.encode(plainLeaf(value, int64AsString)));
  } else if (value instanceof JsonText) {
    const chunks = yield* jsonChunks(value.value, false);
    into.push(headOfText(chunks.reduce((sum, { length }) => sum + length, 0)), ...chunks);
  } else if (value instanceof Sequence || isSequence(value)) {
    yield* packList(value as Sequence | readonly unknown[], int64AsString, into);
  } else {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    into.push(head(0x80, 0xde, members.length));
    for (const [name, member] of members) {
      into.push(encoder.encode(name));
      yield* pack(member, int64AsString, into);
    }
  }
}

function* packList(
  list: Sequence | readonly unknown[],
  int64AsString: boolean,
  into: Uint8Array[],
): Steps<void> {
  into.push(head(0x90, 0xdc, list.length));
  for (let from = 0; from < list.length; from += pieceValues) {
    if (from > 0) yield;
    const piece = Array.from(list.slice(from, Math.min(list.length, from + pieceValues)));
    if (piece.every(isLeaf)) {
      const leaves = int64AsString ? piece.map((leaf) => plainLeaf(leaf, true)) : piece;
      // Without the head of the piece, for the list has one.
      into.push(encoder.encode(leaves).subarray(headOfListLength(piece.length)));
      continue;
    }
    for (const [i, element] of piece.entries()) {
      yield* pack(element, int64AsString, into);
      if (i % 16 === 15) yield;
    }
  }
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Uint8Array;
}

function plainLeaf(value: unknown, int64AsString: boolean): unknown {
  return int64AsString && typeof value === 'bigint' ? String(value) : value;
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
