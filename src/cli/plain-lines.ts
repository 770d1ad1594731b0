/** Returns a text of others without what controls a terminal or turns its text round. Line breaks stay. */
export function plainLines(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '?');
}

/** Returns a text of others in one line, without what controls a terminal. */
export function plainLine(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, ' ');
}
