import { plainName } from '../channel-names.ts';

/** Takes the values of a message, one after the other, each by the path of fields and elements that leads to it. */
export interface ValueVisitor {
  number(path: string, value: number): void;
  text(path: string, value: string): void;
  /** A value that is too long, or of a kind that is not read. */
  leftOut(path: string): void;
}

/** What of a message is no value: `decode` throws it. */
export class MessageFault extends Error {}

/** Reads messages of one schema. Throws a MessageFault. */
export type MessageDecoder = (bytes: Uint8Array, visitor: ValueVisitor) => void;

/** Elements of an array become values of their own, up to so many; longer arrays, such as pictures, are left out. */
export const mostElements = 16;
export const deepest = 32;
/** Letters of a text that is kept. */
export const longestText = 4096;

/**
 * Halves of characters, which no name keeps: names may have dots and brackets, and fields with different names have different
 * paths.
 */
const [fieldMark, elementMark] = ['\ud800', '\ud801'];
const elements = new RegExp(`${elementMark}(\\d+)`, 'g');

export function joinPath(path: string, field: string): string {
  return path === '' ? field.toWellFormed() : `${path}${fieldMark}${field.toWellFormed()}`;
}

export function elementPath(path: string, index: number): string {
  return `${path}${elementMark}${index}`;
}

/** A path as people read it, such as `pos.y[1]`. */
export function shownPath(path: string): string {
  return path.replaceAll(elements, '[$1]').split(fieldMark).map(plainName).join('.');
}

export function visitText(path: string, text: string, visitor: ValueVisitor): void {
  if (text.length > longestText) visitor.leftOut(path);
  else visitor.text(path, text);
}

/** Messages that are JSON: objects by their fields, true and false as 1 and 0. */
export const decodeJsonMessage: MessageDecoder = (bytes, visitor) => {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new MessageFault(`it is no JSON: ${(error as Error).message}`);
  }
  visitJson('', value, visitor, 0);
};

function visitJson(path: string, value: unknown, visitor: ValueVisitor, depth: number): void {
  if (depth > deepest) throw new MessageFault(`fields are nested more than ${deepest} deep`);
  if (typeof value === 'number') visitor.number(path, value);
  else if (typeof value === 'boolean') visitor.number(path, value ? 1 : 0);
  else if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new MessageFault(`the text of ${shownPath(path)} has half a character`);
    visitText(path, value, visitor);
  } else if (Array.isArray(value)) {
    if (value.length > mostElements) visitor.leftOut(path);
    else for (const [i, one] of value.entries()) visitJson(elementPath(path, i), one, visitor, depth + 1);
  } else if (value !== null) {
    for (const [field, one] of Object.entries(value as object)) {
      visitJson(joinPath(path, field), one, visitor, depth + 1);
    }
  }
}
