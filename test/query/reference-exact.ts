/**
 * Arithmetic without rounding, for a reference that must be right rather than fast. Every finite double is a whole
 * number of units of 2^-1074, the smallest double; a bigint holds any sum or product of them.
 */
const view = new DataView(new ArrayBuffer(8));

/** How many units of 2^-1074 a finite double is. */
export function units(value: number): bigint {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & (2n ** 52n - 1n);
  const magnitude = exponent === 0n ? fraction : (fraction + 2n ** 52n) << (exponent - 1n);
  return value < 0 ? -magnitude : magnitude;
}

/** The double nearest to `numerator / denominator` units; `denominator` above 0. */
export function nearest(numerator: bigint, denominator: bigint): number {
  if (numerator < 0n) return -nearest(-numerator, denominator);
  if (numerator === 0n) return 0;
  // A quotient of more than 64 bits whose last one says whether anything was left: Number() rounds it once.
  const shift = 68 - (bitLength(numerator) - bitLength(denominator));
  const above = shift > 0 ? numerator << BigInt(shift) : numerator;
  const below = shift < 0 ? denominator << BigInt(-shift) : denominator;
  const quotient = Number((above / below) | (above % below === 0n ? 0n : 1n));
  const exponent = -1074 - shift;
  const half = Math.trunc(exponent / 2);
  return quotient * 2 ** half * 2 ** (exponent - half);
}

/** The double nearest to the square root of `numerator / denominator` squared units, but for a last bit. */
export function nearestRoot(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0;
  const shift = Math.max(0, 70 - (bitLength(numerator) - bitLength(denominator)) / 2) | 0;
  return nearest(floorRoot((numerator << BigInt(2 * shift)) / denominator), 1n << BigInt(shift));
}

/** Newton's steps down from above. */
function floorRoot(value: bigint): bigint {
  let root = 1n << BigInt((bitLength(value) >> 1) + 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** At most 3 too many. */
function bitLength(value: bigint): number {
  return value.toString(16).length * 4;
}
