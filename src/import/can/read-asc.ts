import type { FileBytes } from '../file-bytes.ts';
import { lineFault, readLines } from '../log-lines.ts';
import type { CanFrame } from './can-frame.ts';
import { type Counts, count, type FrameLog, nanosecondsOf } from './frame-log.ts';
import { logDate } from './log-date.ts';

/** What the head of a log says. */
interface Head {
  readonly isHex: boolean;
  /** Whether each time counts from the event before it. */
  readonly isRelative: boolean;
  readonly date: bigint | undefined;
}

/** Lines in which a head may stand. */
const headLines = 100;
const trigger = /^begin\s+trigger\s*block\s*(.*)$/i;
const event = /^(-?\d+\.\d+)\s+(\S.*)$/;

/**
 * A log of Vector's tools (.asc):
 *
 *   date Wed Apr 16 09:21:13.159 am 2014
 *   base hex  timestamps absolute
 *   Begin Triggerblock Wed Apr 16 09:21:13.159 am 2014
 *      0.010000 1  64          Rx   d 8 00 01 02 03 04 05 06 07
 *      0.020000 2  18FEF1FEx   Rx   d 2 00 01
 *      0.030000 CANFD 1 Rx 200 Name 1 0 9 12 00 01 02 03 04 05 06 07 08 09 0A 0B
 *      0.040000 1  ErrorFrame
 *   End TriggerBlock
 *
 * Times count from the start of the measurement, or each from the event before it.
 */
export async function openAsc(file: FileBytes): Promise<FrameLog> {
  const head = await readHead(file);
  const zero = head.date === undefined ? [] : ['the date of the log is a local time, taken for UTC'];
  return {
    frames: (counts) => frames(file, head, counts),
    start: head.date,
    notes: [
      ...zero,
      `ids and bytes are ${head.isHex ? 'hexadecimal' : 'decimal'}`,
      head.isRelative ? 'each time counts from the event before it' : 'times count from the start of the log',
    ],
  };
}

async function readHead(file: FileBytes): Promise<Head> {
  let isHex = true;
  let isRelative = false;
  let date: bigint | undefined;
  let isInBlock = false;
  for await (const { lines, first } of readLines(file)) {
    for (const [i, line] of lines.slice(0, headLines).entries()) {
      const text = line.trim();
      const base = /^base\s+(hex|dec)(?:\s+timestamps\s+(absolute|relative))?/i.exec(text);
      if (base !== null) {
        isHex = base[1]!.toLowerCase() === 'hex';
        isRelative = base[2]?.toLowerCase() === 'relative';
      }
      const given = /^date\s+(.*)$/i.exec(text)?.[1];
      const begun = trigger.exec(text)?.[1];
      const found = given ?? begun;
      if (found !== undefined && found !== '') {
        const read = logDate(found);
        if (read === undefined)
          throw lineFault(first + i, `'${found.slice(0, 60)}' is no date that is known`);
        // Some writers have in their head when they wrote, and here when the measurement began.
        if (given !== undefined || !isInBlock) date = read;
      }
      if (begun !== undefined) isInBlock = true;
      if (event.test(text)) return { isHex, isRelative, date };
    }
    break;
  }
  return { isHex, isRelative, date };
}

async function* frames(file: FileBytes, head: Head, counts: Counts): AsyncGenerator<CanFrame> {
  const base = head.isHex ? 16 : 10;
  let start = head.date ?? 0n;
  let last = 0n;
  /** That of a block that has just begun. */
  let begun: bigint | undefined;
  for await (const { lines, first } of readLines(file)) {
    for (const [i, line] of lines.entries()) {
      const text = line.trim();
      const match = event.exec(text);
      if (match === null) {
        const date = trigger.exec(text)?.[1];
        if (date !== undefined && date !== '') begun = logDate(date);
        else if (text !== '' && !isKnownLine(text)) count(counts, 'lines that are not known');
        continue;
      }
      const time = nanosecondsOf(match[1]!);
      // Times of a later block go on, or count from its own start.
      if (begun !== undefined && !head.isRelative && time < last) start = begun;
      begun = undefined;
      last = head.isRelative ? last + time : time;
      const frame = readEvent(match[2]!, start + last, base, counts, first + i);
      if (frame !== undefined) yield frame;
    }
  }
}

/** Heads, comments and ends of blocks. */
function isKnownLine(text: string): boolean {
  return /^(?:\/\/|date\b|base\b|(?:no\s+)?internal\s+events|begin\s+trigger|end\s+trigger|previous log file|files? )/i.test(
    text,
  );
}

/** The frame of an event, behind its time; undefined for another event, which is counted. Throws a FileFault that names the line. */
function readEvent(
  text: string,
  time: bigint,
  base: number,
  counts: Counts,
  line: number,
): CanFrame | undefined {
  if (/^start of measurement/i.test(text)) return undefined;
  const words = text.split(/\s+/);
  const isFd = words[0]!.toUpperCase() === 'CANFD';
  if (isFd) words.shift();
  const [channel, ...rest] = words;
  if (channel === undefined || !/^\d+$/.test(channel) || rest.length === 0) {
    count(counts, 'other events');
    return undefined;
  }
  if (rest.some((word) => /^errorframe$/i.test(word))) {
    count(counts, 'error frames');
    return undefined;
  }
  // Of CAN FD the direction stands before the id.
  const [id, direction] = isFd ? [rest[1], rest[0]] : [rest[0], rest[1]];
  if (id === undefined || direction === undefined || !/^(?:Rx|Tx|TxRq)$/i.test(direction)) {
    count(counts, 'other events');
    return undefined;
  }
  if (/^TxRq$/i.test(direction)) {
    count(counts, 'requests to transmit');
    return undefined;
  }
  const digits = base === 16 ? /^([0-9A-F]+)(x?)$/i : /^(\d+)(x?)$/i;
  const match = digits.exec(id);
  if (match === null) {
    count(counts, 'frames with a name in the place of the id');
    return undefined;
  }
  const frame = {
    time,
    bus: `CAN${channel}`,
    id: Number.parseInt(match[1]!, base),
    isExtended: match[2] !== '',
  };
  const found = isFd ? fdBytes(rest.slice(2), line) : classicBytes(rest.slice(2), base, line);
  if (found === undefined) {
    count(counts, 'remote frames');
    return undefined;
  }
  return { ...frame, data: bytesOf(found.words, found.length, base, line) };
}

interface Words {
  readonly words: readonly string[];
  readonly length: number;
}

/** `d 8 00 01 …` or `r`; undefined for a remote frame. */
function classicBytes(
  [kind, code, ...words]: readonly string[],
  base: number,
  line: number,
): Words | undefined {
  if (kind?.toLowerCase() === 'r') return undefined;
  const length = Number.parseInt(code ?? '', base);
  if (kind?.toLowerCase() !== 'd' || !(length >= 0 && length <= 15))
    throw lineFault(line, 'the frame has no length of its data');
  return { words, length: Math.min(length, 8) };
}

/** `[name] brs esi code length 00 01 …`; undefined for a remote frame. */
function fdBytes(words: readonly string[], line: number): Words | undefined {
  const from = /^[01]$/.test(words[0] ?? '') && /^[01]$/.test(words[1] ?? '') ? 2 : 3;
  const [code, length] = [words[from], words[from + 1]];
  if (code === undefined || !/^\d+$/.test(length ?? '') || Number(length) > 64)
    throw lineFault(line, 'the frame of CAN FD has no length of its data');
  if (Number(length) === 0 && !/^0+$/.test(code)) return undefined;
  return { words: words.slice(from + 2), length: Number(length) };
}

function bytesOf(words: readonly string[], length: number, base: number, line: number): Uint8Array {
  const data = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const word = words[i] ?? '';
    const value = (base === 16 ? /^[0-9A-F]{1,2}$/i : /^\d{1,3}$/).test(word)
      ? Number.parseInt(word, base)
      : 256;
    if (value > 255) throw lineFault(line, `the frame has ${length} bytes, and ${i} of them stand here`);
    data[i] = value;
  }
  return data;
}
