import type { Steps } from '../../turns/steps.ts';
import { Byte, peek, type Scan, unexpected } from '../../wire/json/json-scanner.ts';

/** Per byte what it is to a reader that only wants to get past a value. */
const Class = { Other: 0, Quote: 1, Open: 2, Close: 3 } as const;
const classes = new Uint8Array(256);
classes[Byte.Quote] = Class.Quote;
classes[Byte.OpenObject] = Class.Open;
classes[Byte.OpenArray] = Class.Open;
classes[Byte.CloseObject] = Class.Close;
classes[Byte.CloseArray] = Class.Close;

/** What is known of a value on the way past it. */
interface Skip {
  /** Brackets that are open. */
  depth: number;
  deepest: number;
  isInString: boolean;
  /** Where each bracket, and the quote, comes next; see `nearest`. */
  readonly next: number[];
}

/** Bytes of a step: the slowest to get past take a few nanoseconds each. */
const stepBytes = 64 * 1024;

/**
 * Gets past the next value by its strings and brackets alone, however deep, and leaves the rest to who reads it. The
 * deepest level of nesting in it comes back: 0 for a string, a number or a word.
 */
export function* skipValue(scan: Scan): Steps<number> {
  const goOn = skipOf(scan);
  const skip = beginSkip();
  while (!goOn(scan, skip)) yield;
  return skip.deepest;
}

/** Whether the rest of the text is so short that one step gets past any value in it. */
export function isShort({ at, end }: Scan): boolean {
  return end - at <= stepBytes;
}

/** `skipValue` without steps, where `isShort`: a generator costs more than most values. */
export function skipShortValue(scan: Scan): number {
  const goOn = skipOf(scan);
  const skip = beginSkip();
  goOn(scan, skip);
  return skip.deepest;
}

/** How to get past the value that is next. */
function skipOf(scan: Scan): (scan: Scan, skip: Skip) => boolean {
  const first = peek(scan);
  if (first === -1) throw unexpected(scan, 'a value');
  const type = classes[first];
  if (type === Class.Quote || type === Class.Open) return skipNested;
  checkBare(scan);
  return skipBare;
}

function beginSkip(): Skip {
  return { depth: 0, deepest: 0, isInString: false, next: [-1, -1, -1, -1, -1] };
}

/** The bytes without a bracket or a quote after which many more are expected: a column of numbers. */
const shortRun = 32;

/** A step past a string, an array or an object; true where it ends. */
function skipNested(scan: Scan, skip: Skip): boolean {
  const { bytes, end } = scan;
  const stepEnd = Math.min(end, scan.at + stepBytes);
  let at = scan.at;
  let { depth, isInString } = skip;
  while (at < stepEnd) {
    if (isInString) {
      at = stringEnd(bytes, at, stepEnd);
      if (at >= stepEnd) break;
      isInString = false;
      at++;
      if (depth === 0) {
        scan.at = at;
        return true;
      }
    }
    const stop = Math.min(stepEnd, at + shortRun);
    while (at < stop && classes[bytes[at]!] === Class.Other) at++;
    if (at === stop) at = nearest(bytes, end, at, skip.next);
    if (at >= stepEnd) break;
    switch (classes[bytes[at]!]) {
      case Class.Quote:
        isInString = true;
        break;
      case Class.Open:
        if (++depth > skip.deepest) skip.deepest = depth;
        break;
      case Class.Close:
        if (--depth === 0) {
          scan.at = at + 1;
          return true;
        }
    }
    at++;
  }
  skip.depth = depth;
  skip.isInString = isInString;
  scan.at = Math.min(at, end);
  if (at >= end) throw unexpected(scan, isInString ? "'\"'" : 'the end of a value');
  return false;
}

const brackets = [Byte.Quote, Byte.OpenObject, Byte.OpenArray, Byte.CloseObject, Byte.CloseArray] as const;

/**
 * The nearest bracket or quote from `from` on, by native searches, ten times as fast as a loop. `next` keeps where each
 * of them comes next: none is looked for again before it is passed, so all searches together stay linear.
 */
function nearest(bytes: Buffer, end: number, from: number, next: number[]): number {
  let found = end;
  for (let i = 0; i < brackets.length; i++) {
    if (next[i]! < from) {
      const at = bytes.indexOf(brackets[i]!, from);
      next[i] = at < 0 ? end : at;
    }
    if (next[i]! < found) found = next[i]!;
  }
  return found;
}

function checkBare(scan: Scan): void {
  const first = scan.bytes[scan.at]!;
  if (first === Byte.Comma || classes[first] !== Class.Other) throw unexpected(scan, 'a value');
}

/** A step past a number or a word, which ends before the comma or bracket that follows; true where it ends. */
function skipBare(scan: Scan): boolean {
  const { bytes, end } = scan;
  const stepEnd = Math.min(end, scan.at + stepBytes);
  let at = scan.at;
  while (at < stepEnd && bytes[at] !== Byte.Comma && classes[bytes[at]!] === Class.Other) at++;
  scan.at = at;
  return at < stepEnd || at === end;
}

/** The quote that ends the string in which `from` is; `end`, or the byte after it, where there is none before. */
export function stringEnd(bytes: Buffer, from: number, end: number): number {
  let at = from;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === Byte.Quote) return at;
    if (byte === Byte.Backslash) at++;
  }
  return at;
}
