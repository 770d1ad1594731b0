import { isUtf8 } from 'node:buffer';
import type { TagPair } from '../domain/tags.ts';
import { PitwallError } from '../errors.ts';
import type { Steps } from '../turns/steps.ts';
import type { MemoryShare } from './json-memory.ts';
import { type LabelRules, seriesOfLabels } from './labelled-series.ts';
import { lineEnd } from './line-bytes.ts';
import type { MetricFamily } from './metric-family.ts';
import { excerpt } from './name.ts';
import { Refused } from './refused.ts';
import type { SeriesRead } from './series-read.ts';
import { maxMs, SeriesRows } from './series-rows.ts';
import { createTagMemory } from './tag-memory.ts';

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
export interface TextRules extends LabelRules {
  /** Labels that all series have, in the place of their own. */
  readonly labels: readonly TagPair[];
  /** The time of series without one, milliseconds since the Unix epoch. */
  readonly now: number;
  readonly isOpenMetrics: boolean;
}

const stepLines = 128;

/** One line is read in one step. */
export const maxLineBytes = 1024 * 1024;

/** Of a series that is kept in mind, and of a family, without their letters. */
const keptBytes = 200;

/** Throws `bad_request` at the first line that is wrong: then nothing of the body counts. */
export function* prometheusTextSteps(
  body: Uint8Array,
  rules: TextRules,
  share?: MemoryShare,
): Steps<SeriesRead> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isUtf8(bytes)) throw new PitwallError('bad_utf8', { detail: 'the body is not valid UTF-8' });
  const rows = new SeriesRows(rules.limits.maxParameters, share);
  const tagMemory = createTagMemory(share);
  const families = new Map<string, MetricFamily>();
  const seen = new Set<string>();
  const refused = new Refused();
  const own = new Set(rules.labels.map(([name]) => name));
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
        learn(line, families, share);
        continue;
      }
      const { labels, value, ms, hasExemplar } = readSample(line, rules);
      const series = seriesOfLabels([...labels.filter(([name]) => !own.has(name)), ...rules.labels], rules);
      if (typeof series === 'string') throw new LineError(series);
      tagMemory.sets(1, series.tags.pairs.length);
      const key = JSON.stringify([series.topic, series.streamId, series.name, series.tags.key, ms]);
      if (seen.has(key)) throw new LineError('is of a series that stands there before');
      share?.take(keptBytes + key.length);
      seen.add(key);
      rows.add(ms, 0, value);
      rows.put(series);
      if (hasExemplar) refused.leaveOut('exemplar', 1);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      throw new PitwallError('bad_request', { detail: `line ${number}: ${error.message}: ${excerpt(line)}` });
    }
  }
  const values = rows.count;
  return { streams: yield* rows.rowSteps(), definitions: [], families, metadata: [], refused, values };
}

/** What is wrong with a line. */
class LineError extends Error {}

interface Sample {
  readonly labels: readonly TagPair[];
  readonly value: number;
  readonly ms: number;
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
  return {
    labels,
    value: numberOf(valueText),
    ms: timeText === undefined ? now : timeOf(timeText, isOpenMetrics),
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
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  const word = /^([+-]?)(?:(nan)|inf(?:inity)?)$/i.exec(text);
  if (word === null) throw new LineError(text === '' ? 'there is no value' : `${excerpt(text)} is no number`);
  if (word[2] !== undefined) return Number.NaN;
  return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function timeOf(text: string, isOpenMetrics: boolean): number {
  const pattern = isOpenMetrics ? /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/ : /^-?\d+$/;
  const ms = isOpenMetrics ? Math.round(Number(text) * 1000) : Number(text);
  if (pattern.test(text) && Math.abs(ms) <= maxMs) return ms;
  throw new LineError(`${excerpt(text)} is no time in ${isOpenMetrics ? 'seconds' : 'whole milliseconds'}`);
}

/** What a comment says of a metric. */
function learn(line: string, families: Map<string, MetricFamily>, share: MemoryShare | undefined): void {
  const [, word, name, text = ''] =
    /^#[ \t]+(HELP|TYPE|UNIT)[ \t]+("(?:[^"\\]|\\.)*"|\S+)(?:[ \t]+(.*))?$/s.exec(line) ?? [];
  if (word === undefined) return;
  const plainName = name!.startsWith('"') ? unescaped(name!.slice(1, -1)) : name!;
  const family = families.get(plainName);
  if (family === undefined) share?.take(keptBytes + line.length);
  const said = { HELP: { help: unescaped(text) }, TYPE: { type: text }, UNIT: { unit: text } }[word];
  families.set(plainName, { ...family, ...said });
}
