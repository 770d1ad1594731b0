/** The name of a unit's scale: a unit may be called as the axis of x is. */
export function scaleOf(unit: string): string {
  return `in ${unit}`;
}
