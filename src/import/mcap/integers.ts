/** The end of the upper halves that make whole numbers which a double holds. */
const smallHigh = 2 ** 20;

/** A whole number of 64 bits by its halves: a bigint where it is beyond 53 bits. */
export function unsigned64(low: number, high: number): number | bigint {
  return high < smallHigh ? high * 2 ** 32 + low : (BigInt(high) << 32n) | BigInt(low);
}

/** A whole number of 64 bits with a sign by its halves: a bigint where it is beyond 53 bits. */
export function signed64(low: number, high: number): number | bigint {
  const whole = high | 0;
  return whole < smallHigh && whole >= -smallHigh
    ? whole * 2 ** 32 + low
    : (BigInt(whole) << 32n) | BigInt(low);
}
