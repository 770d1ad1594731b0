import { isUtf8 } from 'node:buffer';
import { PitwallError } from '../../errors.ts';
import type { Steps } from '../../turns/steps.ts';
import { excerpt } from '../base/name.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { isRounded } from '../json/rounded-numbers.ts';
import { lineEnd } from '../lines/line-bytes.ts';
import { maxLineBytes } from '../series/prometheus-text.ts';
import type { SeriesRead } from '../series/series-read.ts';
import { valueNames } from './types.ts';
import { type CollectdRules, CollectdValues, collectdTime } from './values.ts';

/**
 * Commands of collectd's plain text protocol (its documentation, "Plain text protocol"), one a line:
 *
 *   PUTVAL host/plugin[-instance]/type[-instance] [interval=10.000] time:value[:value…] …
 *
 * A word in double quotes may have spaces; a backslash stands before a quote or a backslash in it. The time is seconds with decimals,
 * or N for now; U is no value. Other commands are told of and not taken.
 */
export function* collectdCommandSteps(
  body: Uint8Array,
  rules: CollectdRules,
  share?: MemoryShare,
): Steps<SeriesRead> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isUtf8(bytes)) throw new PitwallError('bad_utf8', { detail: 'the body is not valid UTF-8' });
  const lists = new CollectdValues(rules, share);
  let number = 0;
  for (let at = 0; at < bytes.length; number++) {
    const end = lineEnd(bytes, at);
    const isLong = end - at > maxLineBytes;
    const flaw = isLong
      ? `has more than ${maxLineBytes} bytes`
      : readLine(bytes.toString('utf8', at, end).trim(), lists);
    if (flaw !== undefined) lists.refused.add('bad_series', 1, `line ${number + 1} ${flaw}`);
    at = end + 1;
    if (number % stepLines === 0) yield;
  }
  return yield* lists.read();
}

const stepLines = 128;

/** Reads a command. Gives what is wrong with it. */
function readLine(line: string, lists: CollectdValues): string | undefined {
  if (line === '' || line.startsWith('#')) return undefined;
  const words = wordsOf(line);
  if (words === undefined) return `has a word in quotes without an end: ${excerpt(line)}`;
  const [command = '', identifier = '', ...rest] = words;
  if (command.toUpperCase() !== 'PUTVAL') {
    lists.refused.add('not_supported', 1, `the command ${excerpt(command)} is not taken`);
    return undefined;
  }
  const [, host = '', plugin = '', pluginInstance = '', type = '', typeInstance = ''] =
    /^([^/]+)\/([^/-]+)(?:-([^/]*))?\/([^/-]+)(?:-(.*))?$/s.exec(identifier) ?? [];
  if (host === '') return `names no host/plugin/type: ${excerpt(identifier)}`;
  const told = rest.filter((word) => !/^[A-Za-z_:-]+=/.test(word));
  if (told.length === 0) return 'has no values';
  for (const word of told) {
    const [time = '', ...texts] = word.split(':');
    const values: (number | undefined)[] = [];
    for (const text of texts) {
      const value = numberOf(text);
      if (value === null) return `has a value that is no number: ${excerpt(text)}`;
      if (value !== undefined && isRounded(text, value)) lists.noteRounded(text);
      values.push(value);
    }
    const names = valueNames(type, values.length);
    lists.take({
      ...{ host, plugin, pluginInstance, type, typeInstance },
      ...{ names, kinds: undefined, time: time === 'N' ? lists.now() : collectdTime(time), values },
    });
  }
  return undefined;
}

/** Undefined for no value, null for what is none, and for a number beyond all doubles. */
function numberOf(text: string): number | undefined | null {
  if (text === 'U') return undefined;
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : null;
  }
  const word = /^(-?)(?:(nan)|inf(?:inity)?)$/i.exec(text);
  if (word === null) return null;
  return word[2] === undefined ? Number(`${word[1]}Infinity`) : undefined;
}

/** The words of a line; undefined where a quote has no end. */
function wordsOf(line: string): string[] | undefined {
  const words: string[] = [];
  const pattern = /\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]\S*))/gsy;
  while (pattern.lastIndex < line.length) {
    const match = pattern.exec(line);
    if (match === null) return undefined;
    words.push(match[1]?.replace(/\\(.)/gs, '$1') ?? match[2]!);
  }
  return words;
}
