import type { ExpressionFlaw } from './syntax.ts';

/** A piece of the text of an expression. */
export interface Token {
  readonly type: 'number' | 'word' | 'quotedName' | 'text' | 'sign' | 'end';
  /** As it is written; of quoted ones what stands between the quotes. */
  readonly text: string;
  /** UTF-16 code units from the start. */
  readonly position: number;
}

const number = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const word = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy;
const sign = /\|\||&&|==|!=|<=|>=|[?:<>+\-*/%!^(),]/y;
const space = /\s*/y;

/** Cuts an expression into its pieces; the last one is the end. A doubled quote stands for one in quotes. */
export function tokensOf(text: string): Token[] | ExpressionFlaw {
  const tokens: Token[] = [];
  let position = matched(space, text, 0).length;
  while (position < text.length) {
    const token = tokenAt(text, position);
    if (token === undefined) return { position, message: flawAt(text, position) };
    tokens.push(token.token);
    position = token.end;
    position += matched(space, text, position).length;
  }
  tokens.push({ type: 'end', text: '', position: text.length });
  return tokens;
}

function tokenAt(text: string, position: number): { token: Token; end: number } | undefined {
  const first = text[position];
  if (first === '"' || first === "'") {
    const end = endOfQuoted(text, position, first);
    if (end === undefined) return undefined;
    const inside = text.slice(position + 1, end - 1).replaceAll(first + first, first);
    return { token: { type: first === '"' ? 'quotedName' : 'text', text: inside, position }, end };
  }
  for (const [type, pattern] of [
    ['number', number],
    ['word', word],
    ['sign', sign],
  ] as const) {
    const found = matched(pattern, text, position);
    if (found !== '') return { token: { type, text: found, position }, end: position + found.length };
  }
  return undefined;
}

function matched(pattern: RegExp, text: string, position: number): string {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? '';
}

/** Behind the quote that closes; undefined where there is none. */
function endOfQuoted(text: string, position: number, quote: string): number | undefined {
  for (let at = position + 1; at < text.length; at++) {
    if (text[at] !== quote) continue;
    if (text[at + 1] !== quote) return at + 1;
    at++;
  }
  return undefined;
}

function flawAt(text: string, position: number): string {
  const first = String.fromCodePoint(text.codePointAt(position)!);
  if (first === '"' || first === "'") return `begins a quoted text that ${first} does not end`;
  if (first === '=') return 'has "=", and equality is written "=="';
  if (first === '&' || first === '|') return `has "${first}", and it is written "${first}${first}"`;
  return `has ${JSON.stringify(first)}, which means nothing in an expression`;
}
