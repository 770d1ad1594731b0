import { crc32 } from '../compression/crc32.ts';
import { type FileBytes, FileFault, readPiece } from '../file-bytes.ts';
import { FieldReader, headBytes, magic, Op, recordsIn } from './records.ts';

/** What was read of a file up to its end. */
export interface ReadSoFar {
  /** Where the record stands that ends the messages. */
  readonly end: number;
  readonly messages: number;
  /** Whether any of them stood where no checksum of a chunk covers them. */
  readonly isUnchecked: boolean;
}

const footerBytes = headBytes + 20;
const dataEndBytes = headBytes + 4;
/** The longest summary at the end of a file: it has some kilobytes for each thousand channels and chunks. */
const longestSummary = 256 << 20;
const pieceBytes = 1 << 20;

/**
 * Holds what was read against what the end of the file says, so that no damage drops messages or changes them without a
 * word. The file ends with `DataEnd` (uint32 checksum of all before it, or 0), the summary, `Footer` (uint64 place of the
 * summary, or 0; uint64, uint32) and the mark; the summary may have `Statistics`, which begins with the uint64 number of
 * messages. Throws a FileFault.
 */
export async function checkEnding(file: FileBytes, { end, messages, isUnchecked }: ReadSoFar): Promise<void> {
  const footerAt = file.size - magic.length - footerBytes;
  const last = await readPiece(file, footerAt, footerBytes + magic.length, 'the end record of an MCAP file');
  const isFooter = last.getUint8(0) === Op.Footer && last.getBigUint64(1, true) === 20n;
  if (!isFooter || magic.some((byte, i) => last.getUint8(footerBytes + i) !== byte))
    throw new FileFault('the file does not end with its end record and mark: it was cut off', footerAt);
  const summaryAt = Number(last.getBigUint64(headBytes, true)) || footerAt;
  const dataEndAt = summaryAt - dataEndBytes;
  if (end !== footerAt && end !== dataEndAt)
    throw new FileFault('this record says that there are no more messages, and it is not the last one', end);
  if (end === footerAt) return;
  const told = await countOf(file, summaryAt, footerAt);
  if (told !== undefined && told !== BigInt(messages))
    throw new FileFault(`there are ${messages} messages, and the file says that it has ${told}`, summaryAt);
  const dataEnd = await readPiece(file, dataEndAt, dataEndBytes, 'the end of the data');
  const checksum = dataEnd.getUint32(headBytes, true);
  if (isUnchecked && checksum !== 0 && checksum !== (await checksumOf(file, dataEndAt)))
    throw new FileFault('the checksum of the data is another one: the file is damaged', dataEndAt);
}

/** How many messages the file says it has; undefined where it does not say it. */
async function countOf(file: FileBytes, from: number, to: number): Promise<bigint | undefined> {
  if (to - from > longestSummary) throw new FileFault(`the summary of the file has ${to - from} bytes`, from);
  const { buffer, byteOffset, byteLength } = await readPiece(file, from, to - from, 'the summary');
  for (const record of recordsIn(new Uint8Array(buffer, byteOffset, byteLength), from)) {
    if (record.op === Op.Statistics) return new FieldReader(record).uint64();
  }
  return undefined;
}

async function checksumOf(file: FileBytes, end: number): Promise<number> {
  let checksum = 0;
  for (let at = 0; at < end; at += pieceBytes)
    checksum = crc32(await file.read(at, Math.min(pieceBytes, end - at)), checksum);
  return checksum;
}
