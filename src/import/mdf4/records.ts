import { type FileBytes, FileFault } from '../file-bytes.ts';
import { dataPieces } from './data-pieces.ts';

/** How the records of a channel group stand in the bytes of a data group. */
export interface RecordLayout {
  /** Bytes of a record without its number in front. */
  readonly width: number;
  /** Records are values of variable length: uint32 length, then so many bytes. */
  readonly isVariable: boolean;
  /** How many there are. */
  readonly records: number;
  /** Place of its block in the file. */
  readonly offset: number;
}

/** The records of a data group: of one channel group, or of several, mixed, each with the number of its group in front. */
export interface DataLayout {
  /** Place of the block of bytes, or of their list. */
  readonly link: number;
  /** Its place among the data groups, from 1. */
  readonly number: number;
  /** How many bytes there are. */
  readonly size: number;
  /** Bytes of the number in front of each record: 0, 1, 2, 4 or 8. */
  readonly idBytes: number;
  readonly groups: ReadonlyMap<number, RecordLayout>;
}

/** Records of one channel group, each so many bytes behind the one before. */
export interface Run {
  readonly layout: RecordLayout;
  readonly bytes: Uint8Array;
  /** Where the first one begins, behind its number. */
  readonly at: number;
  readonly stride: number;
  readonly count: number;
  /** The length of a value of variable length. */
  readonly length: number;
}

/** The longest record, in bytes: one is in memory at least. */
export const longestRecord = 16 << 20;
const lengthBytes = 4;

/**
 * The records of a data group, in their order. Records that a group has beyond what it says are left out, and what follows
 * the last one that is expected is not looked at: writers reserve room. Throws a FileFault, also where there are fewer than expected.
 * @param tally gets the bytes of these records
 */
export async function* readRecords(
  file: FileBytes,
  data: DataLayout,
  tally = { bytes: 0 },
): AsyncGenerator<Run> {
  const left = new Map([...data.groups.values()].map((layout) => [layout, layout.records]));
  let expected = [...left.values()].reduce((sum, one) => sum + one, 0);
  const [only] = data.groups.size === 1 ? data.groups.values() : [];
  /** Takes records off what is expected; gives how many of them are. */
  const take = (layout: RecordLayout, count: number): number => {
    const taken = Math.min(count, left.get(layout)!);
    left.set(layout, left.get(layout)! - taken);
    expected -= taken;
    return taken;
  };
  /** A record of which a piece had the beginning. */
  let begun = new Uint8Array(1024);
  let done = 0;
  for await (const piece of dataPieces(file, data.link)) {
    for (let at = 0; at < piece.length && expected > 0; ) {
      if (done > 0) {
        // Its head first, which tells how long it is; then the rest.
        const wanted = lengthAt(data, begun, 0, done) ?? headLength(data, begun, done);
        if (wanted > begun.length) begun = longer(begun, wanted);
        const more = Math.min(wanted - done, piece.length - at);
        begun.set(piece.subarray(at, at + more), done);
        at += more;
        done += more;
      }
      const source = done > 0 ? begun : piece;
      const start = done > 0 ? 0 : at;
      const end = done > 0 ? done : piece.length;
      const length = lengthAt(data, source, start, end);
      if (length === undefined || start + length > end) {
        if (done > 0) continue;
        if (end - at > begun.length) begun = longer(begun, end - at);
        begun.set(piece.subarray(at));
        done = end - at;
        break;
      }
      const layout = layoutAt(data, source, start, end)!;
      const whole =
        layout === only && !layout.isVariable ? wholeRecords(data, source, start, end, length) : 1;
      const count = take(layout, whole);
      if (count > 0) {
        const run = { layout, bytes: source, at: start + data.idBytes, stride: length, count };
        yield { ...run, length: length - data.idBytes };
      }
      tally.bytes += count * length;
      if (done > 0) done = 0;
      else at += whole * length;
    }
    if (expected === 0) return;
  }
  for (const [layout, missing] of left) {
    if (missing > 0)
      throw new FileFault(
        `there are ${layout.records - missing} records of ${layout.records}`,
        data.link === 0 ? layout.offset : data.link,
      );
  }
}

/** How many records of that length stand whole from a place on; of those with numbers, as long as the number is the same. */
function wholeRecords(
  { idBytes }: DataLayout,
  bytes: Uint8Array,
  at: number,
  end: number,
  length: number,
): number {
  const most = Math.floor((end - at) / length);
  for (let i = 1; i < most; i++)
    for (let k = 0; k < idBytes; k++) if (bytes[at + k] !== bytes[at + i * length + k]) return i;
  return most;
}

function longer(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(Math.max(length, 2 * bytes.length));
  grown.set(bytes);
  return grown;
}

/** The group of the record that begins there; undefined where its number does not stand there whole. */
function layoutAt({ link, idBytes, groups }: DataLayout, bytes: Uint8Array, at: number, end: number) {
  if (at + idBytes > end) return undefined;
  let id = 0;
  for (let i = idBytes - 1; i >= 0; i--) id = id * 256 + bytes[at + i]!;
  const layout = groups.get(id);
  if (layout === undefined)
    throw new FileFault(`a record here has the number ${id}, which no channel group has`, link);
  return layout;
}

/** Bytes to know before a record tells its length. */
function headLength(data: DataLayout, bytes: Uint8Array, done: number): number {
  return data.idBytes + (layoutAt(data, bytes, 0, done) === undefined ? 0 : lengthBytes);
}

/** Bytes of the record that begins there, its number included; undefined where too few of them are known. */
function lengthAt(data: DataLayout, bytes: Uint8Array, at: number, end: number): number | undefined {
  const layout = layoutAt(data, bytes, at, end);
  if (layout === undefined) return undefined;
  if (!layout.isVariable) return data.idBytes + layout.width;
  const head = at + data.idBytes;
  if (head + lengthBytes > end) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(head, true);
  if (length > longestRecord)
    throw new FileFault(`a value has ${length} bytes; ${longestRecord} are read at most`, data.link);
  return data.idBytes + lengthBytes + length;
}
