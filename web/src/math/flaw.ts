import { type ExpressionPart, partsOf } from '../lines/expression.ts';

/** What is wrong with a piece of an expression. */
export interface Flaw {
  /** UTF-16 code units from the start; undefined where it is no one place. */
  readonly place: { readonly start: number; readonly end: number } | undefined;
  readonly message: string;
}

/** `at character 9: expected a value, and found /` */
export function flawFrom(text: string, expression: string): Flaw {
  const [, character, message] = /^at character (\d+): (.*)$/s.exec(text) ?? [];
  if (character === undefined || message === undefined) return { place: undefined, message: text };
  const open = /"\)".*, and the expression ends/s.test(message) ? openBracketIn(expression) : undefined;
  if (open !== undefined)
    return { place: open, message: `this bracket, at character ${open.start + 1}, is not closed` };
  const start = Math.min(Number(character) - 1, expression.length);
  const piece = /^\s*(?:[\p{L}_][\p{L}\p{M}\p{N}_]*|.)/su.exec(expression.slice(start))?.[0] ?? '';
  return { place: { start, end: start + piece.length }, message };
}

/** The last bracket that opens and is not closed. */
function openBracketIn(expression: string): ExpressionPart | undefined {
  const open: ExpressionPart[] = [];
  for (const part of partsOf(expression)) {
    if (part.type !== 'other') continue;
    if (part.text === '(') open.push(part);
    else if (part.text === ')') open.pop();
  }
  return open.at(-1);
}
