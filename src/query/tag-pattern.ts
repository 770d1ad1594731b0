import { RE2JS, RE2JSSyntaxException } from 're2js';

/** The longest pattern, in UTF-16 code units: compiling takes time and memory that grow with it. */
export const maxPatternLength = 1024;
/** The largest program a pattern may become: `(x{1000}){1000}` is short too. Searching takes program × text steps. */
const maxProgramSize = 10_000;

export interface PatternFlaw {
  /** Code units from the start of the pattern. */
  readonly position: number;
  readonly message: string;
}

/** Whether a text has a match anywhere. Linear in the length of the text, whatever the pattern. */
export type PatternTest = (text: string) => boolean;

/** Compiles a pattern of RE2's syntax: no look-around and no back-references. */
export function compilePattern(pattern: string): PatternTest | PatternFlaw {
  if (pattern.length > maxPatternLength) {
    const message = `has ${pattern.length} characters, and ${maxPatternLength} are allowed`;
    return { position: maxPatternLength, message };
  }
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > maxProgramSize) {
      return { position: 0, message: 'repeats too much to be searched for' };
    }
    return (text) => compiled.test(text);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return { position: positionOf(pattern, error), message: reasonOf(error) };
  }
}

function reasonOf(error: RE2JSSyntaxException): string {
  return error.message.replace(/^error parsing regexp: /, '');
}

/** The engine names the piece of the pattern that is wrong, and for parentheses the whole pattern. */
function positionOf(pattern: string, { error, input }: SyntaxDetails): number {
  if (error === 'missing closing )') return unbalanced(pattern).opened;
  if (error === 'unexpected )') return unbalanced(pattern).closed;
  if (input === null || input === undefined) return Math.max(0, pattern.length - 1);
  if (pattern.endsWith(input) && error === 'missing closing ]') return pattern.length - input.length;
  return Math.max(0, pattern.indexOf(input));
}

interface SyntaxDetails {
  readonly error?: string | null;
  readonly input?: string | null;
}

/** Where a parenthesis stands that is never closed (the innermost), and one that closes nothing (the first). */
function unbalanced(pattern: string): { opened: number; closed: number } {
  const open: number[] = [];
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const unit = pattern[at];
    if (unit === '\\') at++;
    else if (inClass) inClass = unit !== ']';
    else if (unit === '[') {
      inClass = true;
      // A bracket that closes nothing yet stands for itself.
      if (pattern[at + 1] === '^') at++;
      if (pattern[at + 1] === ']') at++;
    } else if (unit === '(') open.push(at);
    else if (unit === ')' && open.pop() === undefined) return { opened: 0, closed: at };
  }
  return { opened: open.at(-1) ?? 0, closed: 0 };
}
