import { plainName } from '../channel-names.ts';
import { type FileBytes, FileFault, readPiece } from '../file-bytes.ts';
import { latestStart } from '../logged-file.ts';

/**
 * The head of a MoTeC log file (.ld), little-endian. MoTeC publishes no description; these are facts that others found:
 *
 *   0x000  uint32    0x40, which marks such a file
 *   0x008  uint32    where the first channel is described
 *   0x024  uint32    where the event is described, or 0
 *   0x05e  char[16]  date, dd/mm/yyyy
 *   0x07e  char[16]  time, hh:mm:ss or hh:mm
 *   0x09e  char[64]  driver
 *   0x0de  char[64]  vehicle
 *   0x15e  char[64]  venue
 *   0x624  char[64]  short comment
 *
 * and of the event: name char[64], session char[64], comment char[1024]. Texts end with their first zero byte.
 */
export interface LdHead {
  readonly firstChannel: number;
  /** As the clock of the logger had it, taken for UTC, ns since the Unix epoch. */
  readonly start: bigint;
  readonly metadata: Readonly<Record<string, string>>;
}

const headBytes = 0x664;
const marker = 0x40;
const eventBytes = 64 + 64 + 1024;
const at = { firstChannel: 0x08, event: 0x24, date: 0x5e, time: 0x7e } as const;
const texts = { driver: 0x9e, vehicle: 0xde, venue: 0x15e, comment: 0x624 } as const;

/** Throws a FileFault. */
export async function readHead(file: FileBytes): Promise<LdHead> {
  const head = await readPiece(file, 0, headBytes, 'the head of a MoTeC log');
  if (head.getUint32(0, true) !== marker) {
    throw new FileFault('a MoTeC log begins with 40 00 00 00, and this does not', 0);
  }
  const metadata: Record<string, string> = {};
  const keep = (name: string, text: string): void => {
    if (text !== '') metadata[name] = text;
  };
  for (const [name, offset] of Object.entries(texts)) keep(name, readText(head, offset, 64));
  const event = head.getUint32(at.event, true);
  if (event !== 0) {
    const described = await readPiece(file, event, eventBytes, 'the event');
    keep('event', readText(described, 0, 64));
    keep('session', readText(described, 64, 64));
    keep('event comment', readText(described, 128, 1024));
  }
  return { firstChannel: head.getUint32(at.firstChannel, true), start: readStart(head), metadata };
}

function readStart(head: DataView): bigint {
  const date = readText(head, at.date, 16);
  const time = readText(head, at.time, 16);
  const [, day, month, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(date) ?? [];
  if (day === undefined) throw new FileFault(`'${date}' is not a date as dd/mm/yyyy`, at.date);
  const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(time) ?? [];
  if (hours === undefined) throw new FileFault(`'${time}' is not a time as hh:mm:ss`, at.time);
  const millis = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hours),
    Number(minutes),
    Number(seconds),
  );
  const made = new Date(millis);
  if (
    made.getUTCFullYear() !== Number(year) ||
    made.getUTCDate() !== Number(day) ||
    made.getUTCMonth() !== Number(month) - 1 ||
    made.getUTCHours() !== Number(hours) ||
    made.getUTCMinutes() !== Number(minutes)
  ) {
    throw new FileFault(`there is no day ${date}, or no time ${time}`, at.date);
  }
  const start = BigInt(millis) * 1_000_000n;
  if (start < -latestStart) throw new FileFault(`the date ${date} is too early to be kept`, at.date);
  if (start > latestStart) throw new FileFault(`the date ${date} is too late to be kept`, at.date);
  return start;
}

/** Text up to its first zero byte, without spaces around it; bytes beyond ASCII as Windows has them. */
export function readText(view: DataView, offset: number, length: number): string {
  return plainName(readWritten(view, offset, length));
}

/** The same with its control characters. */
export function readWritten(view: DataView, offset: number, length: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + offset, length);
  const end = bytes.indexOf(0);
  return new TextDecoder('windows-1252').decode(bytes.subarray(0, end < 0 ? length : end)).trim();
}
