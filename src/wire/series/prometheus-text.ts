import { isUtf8 } from 'node:buffer';
import type { TagPair } from '../../domain/tags.ts';
import { PitwallError } from '../../errors.ts';
import type { Steps } from '../../turns/steps.ts';
import { excerpt } from '../base/name.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { isRounded } from '../json/rounded-numbers.ts';
import { lineEnd } from '../lines/line-bytes.ts';
import { PushedSeries, type PushRules } from './pushed-series.ts';
import { type SampleTime, sampleTime } from './sample-time.ts';
import type { SeriesRead } from './series-read.ts';
import { maxMs } from './series-rows.ts';

/**
 * Metrics in the text format of Prometheus (prometheus.io/docs/instrumenting/exposition_formats), and of OpenMetrics:
 *
 *   # HELP name text     # TYPE name type     # UNIT name unit     # any comment
 *   name{label="value",…} value [time] [# exemplar]
 *   {"name",label="value",…} value [time]
 *
 * Names may stand in double quotes; a backslash stands before a quote, a backslash, or the n of a line break in them and in
 * values. Times are whole milliseconds, in OpenMetrics seconds.
 */
export interface TextRules extends PushRules {
  readonly isOpenMetrics: boolean;
}

const stepLines = 128;

/** The longest line: it is read in one step. */
export const maxLineBytes = 1024 * 1024;

/** Throws `bad_request` at the first line that is wrong: then nothing of the body counts. */
export function* prometheusTextSteps(
  body: Uint8Array,
  rules: TextRules,
  share?: MemoryShare,
): Steps<SeriesRead> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isUtf8(bytes)) throw new PitwallError('bad_utf8', { detail: 'the body is not valid UTF-8' });
  const push = new PushedSeries(rules, share);
  let number = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = lineEnd(bytes, at);
    const isLong = end - at > maxLineBytes;
    const line = bytes.toString('utf8', at, isLong ? at + 100 : end).trim();
    at = end + 1;
    if (number++ % stepLines === 0) yield;
    try {
      if (isLong) throw new LineError(`has more than ${maxLineBytes} bytes`);
      if (line === '') continue;
      if (line.startsWith('#')) {
        learn(line, push);
        continue;
      }
      const { labels, value, isExact, time, hasExemplar } = readSample(line, rules);
      const flaw = push.add(labels, value, time.ms, time.ns);
      if (flaw !== undefined) throw new LineError(flaw);
      if (!isExact) push.refused.leaveOut('rounded', 1);
      if (hasExemplar) push.refused.leaveOut('exemplar', 1);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      throw new PitwallError('bad_request', { detail: `line ${number}: ${error.message}: ${excerpt(line)}` });
    }
  }
  return yield* push.read();
}

/** What is wrong with a line. */
class LineError extends Error {}

interface Sample {
  readonly labels: readonly TagPair[];
  readonly value: number;
  /** A double holds what was written. */
  readonly isExact: boolean;
  readonly time: SampleTime;
  readonly hasExemplar: boolean;
}

function readSample(line: string, { now, isOpenMetrics, limits, streamLabels }: TextRules): Sample {
  const labels: TagPair[] = [];
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line)?.[0];
  if (name !== undefined) labels.push(['__name__', name]);
  let at = name?.length ?? 0;
  while (line[at] === ' ' || line[at] === '\t') at++;
  const most = limits.maxTags + streamLabels.length + 2;
  if (line[at] === '{') at = readLabels(line, at + 1, labels, most);
  else if (name === undefined) throw new LineError('there is no name');
  const [rest = '', exemplar] = line.slice(at).split(/\s#\s/, 2);
  const [valueText = '', timeText, ...more] = rest.trim().split(/[ \t]+/);
  if (more.length > 0) throw new LineError('there is a word too many');
  const value = numberOf(valueText);
  return {
    labels,
    value,
    isExact: !isRounded(valueText, value),
    time: timeText === undefined ? now : timeOf(timeText, isOpenMetrics),
    hasExemplar: exemplar !== undefined,
  };
}

const labelPattern =
  /[ \t]*(?:([a-zA-Z_][a-zA-Z0-9_]*)|"((?:[^"\\]|\\.)*)")[ \t]*(?:=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*)?([,}])?/sy;

/** Reads labels behind their bracket; gives where they end. */
function readLabels(line: string, start: number, labels: TagPair[], most: number): number {
  labelPattern.lastIndex = start;
  for (let at = start; ; at = labelPattern.lastIndex) {
    const end = /^[ \t]*\}/.exec(line.slice(at, at + 16));
    if (end !== null) return at + end[0].length;
    if (labels.length > most) throw new LineError(`has more than ${most} labels`);
    labelPattern.lastIndex = at;
    const match = labelPattern.exec(line);
    if (match === null) throw new LineError('its labels are not name="value" with commas between them');
    const [, bare, quoted, value, stop] = match;
    const name = bare ?? unescaped(quoted!);
    if (value !== undefined) labels.push([name, unescaped(value)]);
    else if (bare === undefined) labels.push(['__name__', name]);
    else throw new LineError(`the label ${excerpt(name)} has no value in quotes`);
    if (stop === '}') return labelPattern.lastIndex;
    if (stop === undefined)
      throw new LineError(`there is neither a comma nor a bracket behind ${excerpt(name)}`);
  }
}

function unescaped(text: string): string {
  return text.includes('\\')
    ? text.replace(/\\(.)/gs, (_, letter) => (letter === 'n' ? '\n' : letter))
    : text;
}

function numberOf(text: string): number {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text);
    if (Number.isFinite(value)) return value;
    throw new LineError(`${excerpt(text)} is beyond the range of a 64-bit floating point number`);
  }
  const word = /^([+-]?)(?:(nan)|inf(?:inity)?)$/i.exec(text);
  if (word === null) throw new LineError(text === '' ? 'there is no value' : `${excerpt(text)} is no number`);
  if (word[2] !== undefined) return Number.NaN;
  return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function timeOf(text: string, isOpenMetrics: boolean): SampleTime {
  const time = isOpenMetrics ? secondsOf(text) : { ms: Number(text), ns: 0 };
  if (time !== undefined && (isOpenMetrics || /^-?\d+$/.test(text)) && Math.abs(time.ms) <= maxMs)
    return time;
  throw new LineError(`${excerpt(text)} is no time in ${isOpenMetrics ? 'seconds' : 'whole milliseconds'}`);
}

/** The time of seconds as they are written, to the nanosecond; undefined for another text. */
function secondsOf(text: string): SampleTime | undefined {
  const match = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', decimals = '', power = '0'] = match;
  const digits = BigInt(whole + decimals);
  const shift = 9 + Number(power) - decimals.length;
  const size = shift < 0 ? digits / 10n ** BigInt(-shift) : digits * 10n ** BigInt(shift);
  return sampleTime(sign === '-' ? -size : size);
}

/** What a comment says of a metric. */
function learn(line: string, push: PushedSeries): void {
  const [, word, name, text = ''] =
    /^#[ \t]+(HELP|TYPE|UNIT)[ \t]+("(?:[^"\\]|\\.)*"|\S+)(?:[ \t]+(.*))?$/s.exec(line) ?? [];
  if (word === undefined) return;
  const plainName = name!.startsWith('"') ? unescaped(name!.slice(1, -1)) : name!;
  const said = { HELP: { help: unescaped(text) }, TYPE: { type: text }, UNIT: { unit: text } }[word];
  if (said !== undefined) push.learn(plainName, said, line.length);
}
