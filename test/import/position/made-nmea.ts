/** With the checksum that the specification says: all characters behind the $, each with each. */
export function summed(sentence: string): string {
  const sum = [...sentence.slice(1)].reduce((all, one) => all ^ one.charCodeAt(0), 0);
  return `${sentence}*${sum.toString(16).toUpperCase().padStart(2, '0')}`;
}
