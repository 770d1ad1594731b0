import type { FileBytes } from '../file-bytes.ts';
import { lineFault, readLines } from '../log-lines.ts';
import { type CanFrame, lengthOfCode } from './can-frame.ts';
import { shortFrame, spacedFrame, stampedLine } from './candump-line.ts';
import { type Counts, count, type FrameLog, nanosecondsOf } from './frame-log.ts';

const errorFlag = 0x2000_0000;
/** The end of the times that count from a start of a log: later ones are since 1970. */
const firstEpoch = 100_000_000n * 1_000_000_000n;

/** The share of frames that may come behind later ones: those of several buses are not quite in order. */
const mostLate = 0.05;

/** How the times of frames follow each other. */
class Steps {
  private frames = 0;
  /** Frames that come behind a later one. */
  private back = 0;
  /** Frames with the time of the one before, on its bus. */
  private same = 0;
  private last = -1n;
  private bus = '';

  see(time: bigint, bus: string): void {
    this.frames++;
    if (time < this.last) this.back++;
    if (time > 0n && time === this.last && bus === this.bus) this.same++;
    [this.last, this.bus] = [time, bus];
  }

  areDeltas(): boolean {
    return this.back > this.frames * mostLate || (this.same > 0 && this.same >= (this.frames - 1) / 2);
  }
}

/**
 * A log of candump: `candump -L` and `-l`, or what it shows with times (`-ta`, `-tA`, `-tz`, `-td`). Times of which many come back, or half are
 * those of the frame before on the same bus, are since the frame before (`-td`): a bus has one frame at a time. Others count from the first
 * frame (`-tz`) or from 1970.
 */
export async function openCandump(file: FileBytes): Promise<FrameLog> {
  let first: bigint | undefined;
  const steps = new Steps();
  let hasDates = false;
  for await (const { lines } of readLines(file)) {
    for (const line of lines) {
      const [, text, bus] = stampedLine.exec(line) ?? [];
      const time = text === undefined ? undefined : timeOf(text);
      if (time === undefined) continue;
      if (first === undefined) {
        first = time;
        hasDates = text!.includes('-');
      }
      if (first >= firstEpoch) break;
      steps.see(time, bus!);
    }
    if (first !== undefined && first >= firstEpoch) break;
  }
  const isDelta = steps.areDeltas();
  const isEpoch = first !== undefined && first >= firstEpoch;
  return {
    frames: (counts) => frames(file, isDelta, counts),
    start: isEpoch ? first : undefined,
    notes: [noteOf({ hasDates, isEpoch, isDelta })],
  };
}

function noteOf(found: {
  readonly hasDates: boolean;
  readonly isEpoch: boolean;
  readonly isDelta: boolean;
}): string {
  if (found.hasDates) return 'the dates of the log are of a local clock, taken for UTC';
  if (found.isEpoch) return 'times are seconds since 1970';
  return found.isDelta ? 'each time counts from the frame before it' : 'times count from the first frame';
}

/** Undefined for a date that no calendar has: Date.parse takes 30 February for 2 March. */
function timeOf(text: string): bigint | undefined {
  if (!text.includes('-')) return nanosecondsOf(text);
  const [clock, decimals = ''] = text.split('.');
  const millis = Date.parse(`${clock!.replace(' ', 'T')}Z`);
  if (Number.isNaN(millis) || new Date(millis).getUTCDate() !== Number(text.slice(8, 10))) return undefined;
  return BigInt(millis) * 1_000_000n + BigInt(decimals.slice(0, 9).padEnd(9, '0'));
}

async function* frames(file: FileBytes, isDelta: boolean, counts: Counts): AsyncGenerator<CanFrame> {
  let last = 0n;
  for await (const { lines, first } of readLines(file)) {
    for (const [i, line] of lines.entries()) {
      if (line.trim() === '') continue;
      const match = stampedLine.exec(line);
      if (match === null) throw lineFault(first + i, `'${line.trim().slice(0, 60)}' is no line of candump`);
      const [, clock, bus, text] = match;
      const time = timeOf(clock!);
      if (time === undefined) throw lineFault(first + i, `'${clock}' is no time`);
      last = isDelta ? last + time : time;
      const frame = readFrame(text!, counts, first + i);
      if (frame !== undefined) yield { time: last, bus: bus!, ...frame };
    }
  }
}

function readFrame(
  text: string,
  counts: Counts,
  line: number,
): Pick<CanFrame, 'id' | 'isExtended' | 'data'> | undefined {
  const match = shortFrame.exec(text) ?? spacedFrame.exec(text);
  if (match === null) throw lineFault(line, `'${text.slice(0, 60)}' is no frame of candump`);
  const isShort = text.includes('#');
  const [, digits, , third, note = ''] = match;
  const id = Number.parseInt(digits!, 16);
  const isExtended = digits!.length === 8;
  if ((isExtended && id >= errorFlag) || /^errorframe/i.test(note)) {
    count(counts, 'error frames');
    return undefined;
  }
  if (isShort ? /^R/i.test(third!) : /^remote/i.test(note)) {
    count(counts, 'remote frames');
    return undefined;
  }
  const data = bytesOf(third!);
  const length = isShort ? data.length : Number(match[2]);
  if (data.length !== length && data.length !== lengthOfCode(length, true))
    throw lineFault(line, `the frame has ${length} bytes, and ${data.length} of them stand here`);
  return { id, isExtended, data };
}

function bytesOf(digits: string): Uint8Array {
  const plain = digits.replaceAll(/[\s.]/g, '');
  const data = new Uint8Array(plain.length >> 1);
  for (let i = 0; i < data.length; i++) data[i] = Number.parseInt(plain.slice(2 * i, 2 * i + 2), 16);
  return data;
}
