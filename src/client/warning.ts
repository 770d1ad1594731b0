/** The header of an answer that says what was probably meant otherwise. */
export const warningHeader = 'Pitwall-Warning';

/** The text of that header: backslashes are two in it, and characters beyond printable ASCII `\\u` and four hex digits. */
export function decodeWarning(value: string): string {
  return value.replace(/\\(?:\\|u([0-9a-f]{4}))/g, (_whole, hex: string | undefined) =>
    hex === undefined ? '\\' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
