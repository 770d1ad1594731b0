/** `2 rows` */
export function count(number: number, noun = 'row'): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
