/** What others have written, without what controls a terminal or turns its text round. Line breaks stay. */
export function plainLines(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '?');
}

/** The same in one line. */
export function plainLine(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, ' ');
}
