import { fault } from './fault.ts';

/** The default maximum length of a name or id, in bytes of UTF-8. */
export const maxNameBytes = 512;

/**
 * Checks the name or id of a parameter, tag, stream, topic or metadata entry: 1 to `limit` bytes of UTF-8
 * without control characters. Gives it back, or throws `bad_name`.
 */
export function checkName(text: string, path: string, limit: number = maxNameBytes): string {
  const flaw = nameFlaw(text, limit);
  if (flaw !== undefined) throw fault('bad_name', path, flaw);
  return text;
}

/** Checks a name that stands as a property in the object at `path`. */
export function checkMemberName(text: string, path: string, limit: number = maxNameBytes): string {
  const flaw = nameFlaw(text, limit);
  if (flaw !== undefined) throw fault('bad_name', path, flaw.replace(/^is /, 'has '));
  return text;
}

/** What is wrong with a name, as a message goes on after its place; undefined for a good one. */
export function nameFlaw(text: string, limit: number): string | undefined {
  if (text === '') return 'is an empty name';
  if (text.length <= limit && isPlain(text)) return undefined;
  // A code unit takes three bytes at most, so most names need no counting.
  if (text.length * 3 > limit && Buffer.byteLength(text) > limit) {
    return `is a name of ${Buffer.byteLength(text)} bytes; ${limit} are allowed`;
  }
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return `is a name with a control character: ${excerpt(text)}`;
  return undefined;
}

/** Printable ASCII, and short: nearly every name. */
function isPlain(text: string): boolean {
  if (text.length > 64) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e) return false;
  }
  return true;
}

/** A text of the client as a message shows it: quoted, escaped, and cut where it is long. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length <= 64 ? text : `${text.slice(0, 63)}…`);
}
