/** The header of an answer that says what was probably meant otherwise. The answer itself is whole. */
export const warningHeader = 'Pitwall-Warning';

/** Takes a sentence about a request that is carried out, and that was probably meant otherwise. */
export type Warn = (warning: string) => void;

/** The most characters of a header: clients and proxies have limits. */
const maxLength = 2000;

/**
 * Text as the value of a header, which is printable ASCII: a backslash is two, and any other character is `\u` and the four
 * hex digits of each of its code units, as in JSON. Long text is cut.
 */
export function encodeWarning(text: string): string {
  let encoded = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const isPlain = unit >= 0x20 && unit <= 0x7e && unit !== 0x5c;
    const next = isPlain ? text[i]! : unit === 0x5c ? '\\\\' : `\\u${unit.toString(16).padStart(4, '0')}`;
    if (encoded.length + next.length > maxLength) return `${encoded}...`;
    encoded += next;
  }
  return encoded;
}
