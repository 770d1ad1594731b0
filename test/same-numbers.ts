import assert from 'node:assert/strict';

/** How far answers to one question may differ, as a share: sums are added in another order when rows have been sealed meanwhile. */
const rounding = 1e-12;

/** Throws an AssertionError where numbers differ by more than rounding. */
export function assertSameNumbers(
  found: readonly number[],
  wanted: readonly (number | null | undefined)[],
  message?: string,
): void {
  const isSame = (number: number, i: number): boolean => {
    const other = wanted[i];
    return typeof other === 'number' && Math.abs(number - other) <= rounding * Math.abs(other);
  };
  if (found.length !== wanted.length || !found.every(isSame)) assert.deepEqual(found, wanted, message);
}
