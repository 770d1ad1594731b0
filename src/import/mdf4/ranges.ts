/** Whether a raw number lies in a range of a table. That of floating-point numbers ends before its last one. */
export function isWithin(raw: number, first: number, last: number, isWhole: boolean): boolean {
  return raw >= first && (raw < last || (raw === last && (isWhole || first === last)));
}
