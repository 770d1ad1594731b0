import type { Pace } from '../../turns/pace.ts';
import type { FileBytes } from '../file-bytes.ts';
import type { LeftOut } from '../left-out.ts';
import { readLines } from '../log-lines.ts';
import { type Motion, type Readings, readVtg, timedSentences } from './nmea-readings.ts';
import { type NmeaSentence, nmeaSentence, nmeaTime } from './nmea-sentence.ts';

/** What the sentences of one time say. */
export interface Epoch {
  /** ns since midnight. */
  readonly clock: bigint;
  /** The line of its first sentence, from 1. */
  readonly line: number;
  readonly readings: Readings;
}

interface OpenEpoch extends Epoch {
  /** Types of its sentences: one that comes again begins another epoch, also at the same time. */
  readonly types: Set<string>;
}

/** What was seen beside the epochs. */
export interface FoundBeside {
  hasRmc: boolean;
  /** Lines of times with a second 60, which have no time of their own since 1970. */
  leapSeconds: number[];
  /** Where VTG stands, which has no time: within the sentences of one time, or else to which time it was taken. */
  vtg: 'none' | 'within' | 'before' | 'behind';
}

/** Sentences of a log, put together by their times. Throws a FileFault. */
export async function* readEpochs(
  file: FileBytes,
  { leave }: LeftOut,
  beside: FoundBeside,
  pace: Pace,
): AsyncGenerator<Epoch> {
  let open: OpenEpoch | undefined;
  /** Waits for the time that comes next: it stands between two sentences of one time, or of two. */
  let waiting: (Motion & { readonly line: number }) | undefined;
  /** A log that begins with VTG has it before the time that it belongs to. */
  let isVtgFirst: boolean | undefined;
  for await (const { line, sentence } of sentences(file, leave, pace)) {
    const { type, fields } = sentence;
    if (type === 'VTG') {
      isVtgFirst ??= open === undefined;
      if (waiting !== undefined) leave('VTG beside another one', line);
      else waiting = { ...readVtg(fields), line };
      continue;
    }
    const timed = timedSentences.get(type);
    if (timed === undefined) {
      leave(`sentences ${type}`, line);
      continue;
    }
    const clock = nmeaTime(fields[timed.clock]);
    if (clock === undefined) {
      leave(`${type} without a time`, line);
      continue;
    }
    const isNew = open === undefined || clock !== open.clock || open.types.has(type);
    if (isNew && isVtgFirst === false && waiting !== undefined) {
      addVtg(open!, waiting);
      waiting = undefined;
      beside.vtg = 'before';
    }
    if (isNew) {
      if (open !== undefined) yield open;
      if (isLeapSecond(fields[timed.clock])) beside.leapSeconds.push(line);
      open = { clock, line, readings: {}, types: new Set() };
      if (waiting !== undefined) beside.vtg = 'behind';
    } else if (waiting !== undefined && beside.vtg === 'none') beside.vtg = 'within';
    if (waiting !== undefined) addVtg(open!, waiting);
    waiting = undefined;
    open!.types.add(type);
    beside.hasRmc ||= type === 'RMC';
    const why = timed.read(fields, open!.readings);
    if (why !== undefined) leave(`${type} ${why}`, line);
  }
  if (waiting !== undefined) {
    if (open === undefined || isVtgFirst === true) leave('VTG without a time behind it', waiting.line);
    else addVtg(open, waiting);
  }
  if (open !== undefined) yield open;
}

function isLeapSecond(clock = ''): boolean {
  return clock.startsWith('60', 4);
}

/** RMC says speed and course too, and for its own time. */
function addVtg({ readings }: Epoch, { speed, course }: Motion): void {
  readings.speed ??= speed;
  readings.course ??= course;
}

async function* sentences(
  file: FileBytes,
  leave: LeftOut['leave'],
  pace: Pace,
): AsyncGenerator<{ readonly line: number; readonly sentence: NmeaSentence }> {
  let haveChecksums = false;
  for await (const { lines, first } of readLines(file)) {
    const pause = pace();
    if (pause !== undefined) await pause;
    for (const [i, text] of lines.entries()) {
      if (text.trim() === '') continue;
      const line = first + i;
      // A line that lost its end goes on with the next sentence.
      const [before, ...parts] = text.split(/(?=\$)/);
      if (!before!.startsWith('$')) {
        if (parts.length === 0) leave('lines that are no sentence', line);
        else if (before!.trim() !== '') leave('texts before a sentence', line);
      } else parts.unshift(before!);
      for (const part of parts) {
        const sentence = nmeaSentence(part);
        if (sentence === 'checksum') leave('sentences with a wrong checksum', line);
        else if (sentence === 'form') leave('lines that are no sentence', line);
        else if (haveChecksums && !sentence.hasChecksum)
          leave('sentences cut off before their checksum', line);
        else {
          haveChecksums ||= sentence.hasChecksum;
          if (sentence.tail !== '') leave('texts behind a sentence', line);
          yield { line, sentence };
        }
      }
    }
  }
}
