import { type FileBytes, FileFault, readPiece } from '../file-bytes.ts';
import { type BlfObject, readObjects } from './blf-objects.ts';
import { type CanFrame, lengthOfCode } from './can-frame.ts';
import { type Counts, count, type FrameLog } from './frame-log.ts';

const fileMark = 0x4747_4f4c;
const headBytes = 72;
const extendedFlag = 0x8000_0000;

/** Types of objects with a frame, and of others that have a name here. */
const ObjectType = { Message: 1, Message2: 86, FdMessage: 100, FdMessage64: 101 } as const;
const others: ReadonlyMap<number, string> = new Map([
  [2, 'error frames'],
  [3, 'overload frames'],
  [73, 'error frames'],
  [104, 'error frames'],
]);

/**
 * A binary log of Vector's tools (.blf), little-endian: char[4] `LOGG`, uint32 length of the head, uint64 length of the file at 16, at 40 the start as eight uint16
 * (year, month, day of the week, day, hour, minute, second, millisecond), then objects. There is no public description by its makers; this one is after
 * those of others.
 */
export async function openBlf(file: FileBytes): Promise<FrameLog> {
  const head = await readPiece(file, 0, headBytes, 'the head of a BLF file');
  if (head.getUint32(0, true) !== fileMark)
    throw new FileFault("a BLF file begins with 'LOGG', and this does not", 0);
  const first = head.getUint32(4, true);
  const size = Number(head.getBigUint64(16, true));
  if (size > file.size)
    throw new FileFault(`the file has ${file.size} bytes of the ${size} that it says: it was cut off`, 16);
  const start = startOf(head);
  return {
    frames: (counts) => frames(file, first, start ?? 0n, counts),
    start,
    notes: start === undefined ? [] : ['the start of the log is a local time, taken for UTC'],
  };
}

/** Undefined where it is empty. */
function startOf(head: DataView): bigint | undefined {
  const at = (i: number): number => head.getUint16(40 + 2 * i, true);
  if (at(0) === 0) return undefined;
  return BigInt(Date.UTC(at(0), at(1) - 1, at(3), at(4), at(5), at(6), at(7))) * 1_000_000n;
}

async function* frames(
  file: FileBytes,
  first: number,
  start: bigint,
  counts: Counts,
): AsyncGenerator<CanFrame> {
  for await (const object of readObjects(file, first)) {
    const frame = frameOf(object, counts);
    if (frame !== undefined) yield { ...frame, time: start + timeOf(object) };
  }
}

/** Of a head: uint32 flags at 16 (1: tens of microseconds, else nanoseconds), uint64 time at 24. */
function timeOf({ view }: BlfObject): bigint {
  const time = view.getBigUint64(24, true);
  return view.getUint32(16, true) === 1 ? time * 10_000n : time;
}

const remoteFlag = 0x80;
const remoteFlag64 = 0x10;
const fdFlag64 = 0x1000;

/**
 * The frame of an object; undefined for another one, which is counted. Behind the head:
 *
 *   1, 86  uint16 channel, uint8 flags (bit 7 remote), uint8 length code, uint32 id, uint8[8] data
 *   100    uint16 channel, uint8 flags (bit 7 remote), uint8 length code, uint32 id, uint32, uint8, uint8 flags (bit 0 FD), uint8 bytes, 5 reserved, uint8[64] data
 *   101    uint8 channel, uint8 length code, uint8 bytes, uint8, uint32 id, uint32, uint32 flags (bit 4 remote, bit 12 FD), data at 40
 */
function frameOf(object: BlfObject, counts: Counts): Omit<CanFrame, 'time'> | undefined {
  const { type, view, headLength } = object;
  if (
    type !== ObjectType.Message &&
    type !== ObjectType.Message2 &&
    type !== ObjectType.FdMessage &&
    type !== ObjectType.FdMessage64
  ) {
    count(counts, others.get(type) ?? `objects of type ${type}`);
    return undefined;
  }
  const is64 = type === ObjectType.FdMessage64;
  const dataAt = headLength + (type === ObjectType.FdMessage ? 20 : is64 ? 40 : 8);
  if (view.byteLength < dataAt || headLength < 32)
    throw new FileFault(
      `an object of type ${type} has ${view.byteLength} bytes, which are too few`,
      undefined,
    );
  const isRemote = is64
    ? (view.getUint32(headLength + 12, true) & remoteFlag64) !== 0
    : (view.getUint8(headLength + 2) & remoteFlag) !== 0;
  if (isRemote) {
    count(counts, 'remote frames');
    return undefined;
  }
  const id = view.getUint32(headLength + 4, true);
  return {
    bus: `CAN${is64 ? view.getUint8(headLength) : view.getUint16(headLength, true)}`,
    id: id % 2 ** 29,
    isExtended: id >= extendedFlag,
    data: new Uint8Array(
      view.buffer,
      view.byteOffset + dataAt,
      Math.min(lengthOf(type, view, headLength), view.byteLength - dataAt),
    ),
  };
}

function lengthOf(type: number, view: DataView, at: number): number {
  if (type === ObjectType.FdMessage) return view.getUint8(at + 14);
  if (type !== ObjectType.FdMessage64) return lengthOfCode(view.getUint8(at + 3) & 15, false);
  const isFd = (view.getUint32(at + 12, true) & fdFlag64) !== 0;
  return Math.min(view.getUint8(at + 2), lengthOfCode(view.getUint8(at + 1) & 15, isFd));
}
