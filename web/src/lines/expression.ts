import type { TopicStreams } from '../state/by-topic.ts';
import { conversionsOf } from './conversions.ts';

/** A piece of an expression, as docs/query.md says what it may be. */
export interface ExpressionPart {
  /** A `name` is one of a channel or of a function, a `quotedName` one of a channel, a `text` a time or a tag. */
  readonly type: 'name' | 'quotedName' | 'text' | 'other';
  /** Without quotes. */
  readonly text: string;
  /** UTF-16 code units from the start; `end` is behind the last one. */
  readonly start: number;
  readonly end: number;
  /** False where a quote that opens has none that closes. */
  readonly isClosed: boolean;
}

const plainName = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;
const pieces =
  /(?<space>\s+)|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[\p{L}_][\p{L}\p{M}\p{N}_]*)|(?<quoted>"(?:[^"]|"")*"?)|(?<text>'(?:[^']|'')*'?)|(?<sign>.)/gsu;

/** The pieces of an expression that may not be whole yet, without spaces. */
export function partsOf(expression: string): ExpressionPart[] {
  return [...expression.matchAll(pieces)].flatMap(
    ({ 0: piece, index: start, groups = {} }): ExpressionPart[] => {
      const place = { start, end: start + piece.length };
      if (groups['space'] !== undefined) return [];
      if (groups['name'] !== undefined) return [{ ...place, type: 'name', text: piece, isClosed: true }];
      if (groups['quoted'] !== undefined) return [{ ...place, type: 'quotedName', ...unquoted(piece, '"') }];
      if (groups['text'] !== undefined) return [{ ...place, type: 'text', ...unquoted(piece, "'") }];
      return [{ ...place, type: 'other', text: piece, isClosed: true }];
    },
  );
}

/** What stands between quotes; a doubled quote stands for one. */
function unquoted(piece: string, quote: string): Pick<ExpressionPart, 'text' | 'isClosed'> {
  const inside = piece.slice(1);
  const isClosed = (inside.match(new RegExp(quote, 'g'))?.length ?? 0) % 2 === 1;
  const text = isClosed ? inside.slice(0, -1) : inside;
  return { text: text.replaceAll(quote + quote, quote), isClosed };
}

/** The pieces that name a channel: quoted ones, and words with no bracket behind them. */
export function channelParts(expression: string): ExpressionPart[] {
  const parts = partsOf(expression);
  return parts.filter(
    ({ type }, i) => type === 'quotedName' || (type === 'name' && parts[i + 1]?.text !== '('),
  );
}

/** The pieces that name a tag. */
export function tagParts(expression: string): ExpressionPart[] {
  const parts = partsOf(expression);
  return parts.filter(({ type }, i) => type === 'text' && callAround(parts, i) === 'over');
}

/** The function whose brackets are next around a piece; empty where there is none. */
export function callAround(parts: readonly ExpressionPart[], place: number): string {
  let depth = 0;
  for (let i = place - 1; i > 0; i--) {
    const { text, type } = parts[i]!;
    if (type !== 'other') continue;
    if (text === ')') depth++;
    if (text === '(' && depth-- === 0) return parts[i - 1]!.text;
  }
  return '';
}

/** A name as an expression has it: in quotes where it is no plain word. */
export function quotedName(name: string): string {
  return plainName.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** The service takes far fewer. */
const mostLetters = 10_000;

/**
 * An expression with those of the channels that it names put in place, and of those that they name. One that would name
 * itself stays a name.
 */
export function unfolded(
  expression: string,
  expressionOf: (name: string) => string | undefined,
  within: readonly string[] = [],
): string {
  let whole = '';
  let end = 0;
  for (const part of channelParts(expression)) {
    if (whole.length > mostLetters) break;
    const own = within.includes(part.text) ? undefined : expressionOf(part.text);
    if (own === undefined) continue;
    const inner = unfolded(own, expressionOf, [...within, part.text]);
    whole += `${expression.slice(end, part.start)}(${inner})`;
    end = part.end;
  }
  return whole + expression.slice(end);
}

/** The values of a channel in the unit in which they are shown, for a query of these streams. */
export function inShownUnit(parameter: string, streams: Partial<TopicStreams>): string {
  const own = conversionsOf(streams).get(parameter);
  return own === undefined
    ? quotedName(parameter)
    : `(${quotedName(parameter)} * ${own.factor} + (${own.offset}))`;
}
