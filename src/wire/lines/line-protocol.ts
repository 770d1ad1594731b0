import { isUtf8 } from 'node:buffer';
import { type TagPair, type TagSet, tagSet } from '../../domain/tags.ts';
import { isTimestamp } from '../../domain/timestamp.ts';
import type { Steps } from '../../turns/steps.ts';
import { nameFlaw } from '../base/name.ts';
import type { StreamRows } from '../rows/parameter-data.ts';
import type { PayloadLimits } from '../rows/payload-limits.ts';
import {
  behindLine,
  comma,
  equals,
  excerptOf,
  hash,
  lineEnd,
  lineStart,
  newline,
  quote,
  skipBlanks,
  skipSpaces,
  space,
  stringBytes,
  stringEnd,
  textOf,
  tokenEnd,
} from './line-bytes.ts';
import { type Field, type RowsBuilder, rowsBuilder } from './line-rows.ts';
import { unitBySize } from './line-unit.ts';
import { isRounded, LineFault, plainValue } from './line-value.ts';

/**
 * The line protocol of InfluxDB (its documentation, "Line protocol reference"):
 *
 *   measurement[,tag=value…] field=value[,field=value…] [timestamp]
 *
 * A measurement is a stream, a field is a parameter, tags are the tags of the row. Strings stay strings; floats, integers
 * (`1i`, `1u`) and booleans (1 and 0) are numbers, so integers from 2^53 on are rounded to a double. A backslash
 * stands before a comma, a space, or (in tags and field names) an equals sign that is part of a name; in strings before
 * a quote or a backslash. Lines that begin with # are comments.
 */
export interface LineOptions {
  /** Nanoseconds of one unit of the timestamps; `auto`: each shows it by its size. */
  readonly unit: bigint | 'auto';
  /** Time of lines without a timestamp, ns. */
  readonly now: bigint;
  /** Tags that tell streams of one measurement apart: the stream is `measurement/value` of those that a line has. */
  readonly streamTags: readonly string[];
  readonly limits: PayloadLimits;
  /** Why no line of a stream is taken; undefined where all is well. */
  readonly refuses?: ((streamId: string) => string | undefined) | undefined;
}

export interface Lines {
  /** By stream id. */
  readonly streams: ReadonlyMap<string, RowsBuilder>;
  /** How many lines were good. */
  readonly good: number;
  /** How many were not, and the first of them; good lines count all the same. */
  readonly bad: number;
  readonly firstBad: BadLine | undefined;
  /** How many integers of good lines a double does not hold. */
  readonly rounded: number;
}

export interface BadLine {
  /** From 1. */
  readonly number: number;
  /** The line itself, cut where it is long. */
  readonly text: string;
  readonly reason: string;
}

interface Head {
  readonly stream: RowsBuilder;
  readonly tags: TagSet;
}

/**
 * The maximum of streams in one body, and of cells (lines times fields, summed up over streams): a few bytes can ask for a
 * stream or a column, which takes some KB to build. Bodies of the maximum size without gaps stay below.
 */
const maxStreams = 50_000;
const maxCells = 16_000_000;

/** What lines say, as rows of streams. */
export interface LinesRead extends Omit<Lines, 'streams'> {
  readonly streams: readonly StreamRows[];
}

/** Reads all lines, as `lineSteps` does, and builds their rows. The body must stay as it is until the last step. */
export function* lineRowSteps(body: Buffer, options: LineOptions): Steps<LinesRead> {
  const { streams, ...rest } = yield* lineSteps(body, options);
  const read: StreamRows[] = [];
  for (const [streamId, builder] of streams) {
    if (builder.count() === 0) continue;
    read.push({ streamId, rows: yield* builder.rowSteps() });
    if (read.length % streamsOfStep === 0) yield;
  }
  return { ...rest, streams: read };
}

/** The bytes of a step, and the streams of one: both take a fraction of a millisecond. */
const bytesOfStep = 8 * 1024;
const streamsOfStep = 64;

/** Reads all lines; never throws for what a line says. Lines that would go beyond a limit of the payload are bad. */
export function* lineSteps(body: Buffer, options: LineOptions): Steps<Lines> {
  const streams = new Map<string, RowsBuilder>();
  const heads = new Map<string, Head>();
  const fields: Field[] = [];
  const tally = { rounded: 0 };
  let at = 0;
  let number = 0;
  let good = 0;
  let bad = 0;
  let cells = 0;
  let firstBad: BadLine | undefined;

  let pauseAt = bytesOfStep;
  while (at < body.length) {
    if (at >= pauseAt) {
      yield;
      pauseAt = at + bytesOfStep;
    }
    number++;
    const start = lineStart(body, at);
    const first = body[start];
    if (first === undefined || first === newline || first === hash) {
      at = behindLine(body, start);
      continue;
    }
    const { rounded } = tally;
    try {
      const end = readLine(start);
      for (let i = start; i < end - 1; i++) if (body[i] === newline) number++;
      at = end;
      good++;
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      bad++;
      tally.rounded = rounded;
      const end = lineEnd(body, start);
      firstBad ??= { number, text: excerptOf(body, start, end), reason: error.reason };
      at = end + 1;
    }
  }
  return { streams, good, bad, firstBad, ...tally };

  /** Reads the line at `start`; gives the place after it. */
  function readLine(start: number): number {
    const { maxTimestamps, maxParameters } = options.limits;
    if (good + bad >= maxTimestamps) throw new LineFault(`more than ${maxTimestamps} lines`);
    const headEnd = tokenEnd(body, start, space, space);
    if (body[headEnd] !== space) throw new LineFault('missing fields');
    const text = body.toString('latin1', start, headEnd);
    let head = heads.get(text);
    if (head === undefined) {
      head = readHead(body.subarray(start, headEnd), streams, options);
      heads.set(text, head);
    }
    fields.length = 0;
    let place = skipSpaces(body, headEnd);
    for (;;) {
      place = readField(body, place, fields, options.limits, tally);
      if (body[place] !== comma) break;
      place++;
    }
    const { timestamp, end } = readTime(body, place, options);
    const { stream, tags } = head;
    const parameters = stream.parametersWith(fields);
    if (parameters > maxParameters) throw new LineFault(`more than ${maxParameters} fields of one stream`);
    const more = (stream.count() + 1) * parameters - stream.count() * stream.parametersWith([]);
    if (cells + more > maxCells) {
      throw new LineFault(`more than ${maxCells} cells: most lines have few of the fields of their stream`);
    }
    cells += more;
    stream.add(timestamp, tags, fields);
    return end;
  }
}

function readHead(head: Buffer, streams: Map<string, RowsBuilder>, options: LineOptions): Head {
  const { limits, streamTags } = options;
  let at = tokenEnd(head, 0, comma, comma);
  const measurement = nameOf(head, 0, at, 'measurement', limits);
  const pairs = new Map<string, string>();
  while (at < head.length) {
    const keyEnd = tokenEnd(head, at + 1, equals, comma);
    if (head[keyEnd] !== equals) throw new LineFault('a tag without a value');
    const key = nameOf(head, at + 1, keyEnd, 'tag name', limits);
    const valueEnd = tokenEnd(head, keyEnd + 1, comma, equals);
    if (head[valueEnd] === equals) throw new LineFault(`an equals sign in the value of the tag ${key}`);
    if (valueEnd === keyEnd + 1) throw new LineFault(`the tag ${key} has an empty value`);
    if (pairs.has(key)) throw new LineFault(`the tag ${key} stands twice`);
    if (valueEnd - keyEnd - 1 > limits.maxStringBytes) {
      throw new LineFault(`the tag ${key} has more than ${limits.maxStringBytes} bytes`);
    }
    pairs.set(key, textOf(head, keyEnd + 1, valueEnd));
    at = valueEnd;
  }
  if (pairs.size > limits.maxTags) throw new LineFault(`more than ${limits.maxTags} tags`);
  const parts = streamTags.flatMap((tag) => pairs.get(tag) ?? []);
  const id = checked([measurement, ...parts].join('/'), 'stream id', limits);
  let stream = streams.get(id);
  if (stream === undefined) {
    const refused = options.refuses?.(id);
    if (refused !== undefined) throw new LineFault(refused);
    if (streams.size === maxStreams) throw new LineFault(`more than ${maxStreams} streams`);
    stream = rowsBuilder();
    streams.set(id, stream);
  }
  return { stream, tags: tagSet([...pairs] as TagPair[]) };
}

/** Reads `name=value` at `start` to `fields`; gives the place after it. */
function readField(
  body: Buffer,
  start: number,
  fields: Field[],
  limits: PayloadLimits,
  tally: { rounded: number },
): number {
  const keyEnd = tokenEnd(body, start, equals, space);
  if (body[keyEnd] !== equals)
    throw new LineFault(keyEnd === start ? 'missing fields' : 'a field without a value');
  const name = nameOf(body, start, keyEnd, 'field name', limits);
  const valueStart = keyEnd + 1;
  if (body[valueStart] === quote) {
    const end = stringEnd(body, valueStart + 1);
    const value = stringBytes(body, valueStart + 1, end);
    if (value.length > limits.maxStringBytes) {
      throw new LineFault(
        `the field ${name} has ${value.length} bytes; ${limits.maxStringBytes} are allowed`,
      );
    }
    if (!isUtf8(value)) throw new LineFault(`the field ${name} is not valid UTF-8`);
    fields.push({ name, value });
    return end + 1;
  }
  let end = valueStart;
  for (let byte = body[end]; byte !== undefined && byte !== comma && byte > space; byte = body[end]) end++;
  const text = body.toString('latin1', valueStart, end);
  const value = plainValue(text, name);
  if (isRounded(text, value)) tally.rounded++;
  fields.push({ name, value });
  return end;
}

/** Reads the rest of a line after its fields. */
function readTime(body: Buffer, place: number, options: LineOptions): { timestamp: bigint; end: number } {
  const { unit } = options;
  const start = skipBlanks(body, place);
  const lineStop = lineEnd(body, start);
  let stop = lineStop;
  while (stop > start && body[stop - 1]! <= space) stop--;
  if (start > place || start === lineStop) {
    if (start >= stop) return { timestamp: options.now, end: lineStop + 1 };
    const text = body.toString('latin1', start, stop);
    if (!/^-?\d{1,19}$/.test(text)) throw new LineFault(`the invalid timestamp ${text.slice(0, 40)}`);
    const number = BigInt(text);
    const timestamp = number * (unit === 'auto' ? unitBySize(number) : unit);
    if (!isTimestamp(timestamp)) throw new LineFault(`the timestamp ${text} is beyond 64-bit nanoseconds`);
    return { timestamp, end: lineStop + 1 };
  }
  throw new LineFault('something behind a value that is neither a comma nor a space');
}

function nameOf(bytes: Buffer, start: number, end: number, what: string, limits: PayloadLimits): string {
  if (start === end) throw new LineFault(`an empty ${what}`);
  return checked(textOf(bytes, start, end), what, limits);
}

function checked(name: string, what: string, limits: PayloadLimits): string {
  const flaw = nameFlaw(name, limits.maxNameBytes);
  if (flaw !== undefined) throw new LineFault(`${what} ${flaw}`);
  return name;
}
