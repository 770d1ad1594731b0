import { RE2JS, RE2JSSyntaxException } from 're2js';

/** The longest pattern, in UTF-16 code units: compiling takes time and memory that grow with it. */
export const maxPatternLength = 1024;
/**
 * The largest program a pattern may become: repetitions are written out, so `(x{30}){30}` is long, and both compiling
 * and searching take steps for each instruction.
 */
export const maxProgramSize = 2000;

export interface PatternFlaw {
  /** Code units from the start of the pattern. */
  readonly position: number;
  readonly message: string;
}

/** Whether a text has a match anywhere. Linear in the length of the text, whatever the pattern. */
export interface PatternTest {
  (text: string): boolean;
  /** That it takes at most for each character of the text. */
  readonly steps: number;
}

/** Compiles a pattern of RE2's syntax: no look-around and no back-references. */
export function compilePattern(pattern: string): PatternTest | PatternFlaw {
  if (pattern.length > maxPatternLength) {
    const message = `has ${pattern.length} characters, and ${maxPatternLength} are allowed`;
    return { position: maxPatternLength, message };
  }
  if (programBound(pattern) > maxProgramSize) {
    return {
      position: 0,
      message: `repeats too much: it takes more than ${maxProgramSize} steps a character`,
    };
  }
  try {
    const compiled = RE2JS.compile(pattern);
    return Object.assign((text: string) => compiled.test(text), { steps: compiled.programSize() });
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
  for (let at = 0; at < pattern.length; at++) {
    const unit = pattern[at];
    if (unit === '\\') at = escapeEnd(pattern, at);
    else if (unit === '[') at = classEnd(pattern, at);
    else if (unit === '(') open.push(at);
    else if (unit === ')' && open.pop() === undefined) return { opened: 0, closed: at };
  }
  return { opened: open.at(-1) ?? 0, closed: 0 };
}

/** Roughly the instructions that a pattern becomes, found before any is made. */
export function programBound(pattern: string): number {
  const outer: { total: number; last: number }[] = [];
  let total = 0;
  let last = 0;
  const atom = (size: number) => {
    total += size;
    last = size;
  };
  for (let at = 0; at < pattern.length; at++) {
    const unit = pattern[at]!;
    if (unit === '\\') {
      const end = escapeEnd(pattern, at);
      // Of a quotation each character is one, and what repeats it repeats the last.
      if (pattern[at + 1] === 'Q') total += end - at;
      atom(1);
      at = end;
    } else if (unit === '[') {
      at = classEnd(pattern, at);
      atom(1);
    } else if (unit === '(') {
      outer.push({ total, last });
      total = 2;
      last = 0;
    } else if (unit === ')') {
      const size = total;
      const before = outer.pop() ?? { total: 0, last: 0 };
      total = before.total;
      atom(size);
    } else if (unit === '{') {
      const [whole, min, max] = repetition(pattern, at);
      if (whole === undefined) atom(1);
      else {
        const size = last * Math.max(1, Number(min), Number(max ?? 0));
        total += size - last;
        last = size;
        at += whole.length - 1;
      }
    } else atom(1);
  }
  return outer.reduce((sum, level) => sum + level.total, total);
}

function repetition(pattern: string, at: number): readonly (string | undefined)[] {
  counted.lastIndex = at;
  return counted.exec(pattern) ?? [];
}

const counted = /\{([0-9]+)(?:,([0-9]*))?\}/y;

/** The last character of the escape that begins at a backslash: `\d`, `\x{2028}`, `\pL`, `\p{Greek}`, `\Qas it is\E`. */
function escapeEnd(pattern: string, start: number): number {
  const kind = pattern[start + 1];
  const closing =
    kind === 'Q' ? '\\E' : /[xpP]/.test(kind ?? '') && pattern[start + 2] === '{' ? '}' : undefined;
  if (closing === undefined) return start + 1;
  const at = pattern.indexOf(closing, start + 2);
  return at < 0 ? pattern.length - 1 : at + closing.length - 1;
}

/** Where the class that begins at `[` ends; a bracket that would close an empty one stands for itself. */
function classEnd(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) if (pattern[at] === '\\') at++;
  return at;
}
