/**
 * The clock of the service, as far as the browser can know it: each answer has a `Date` in whole seconds, so it says that
 * the clock was within that second some time between asking and answering. What many answers say together is a narrow
 * range.
 */

/** Milliseconds that the service's clock is ahead of the browser's, at least and at most. */
let ahead: { low: number; high: number } | undefined;
let observedAt = 0;

/** Clocks drift: what was known becomes wrong by so much, ms each ms. */
const drift = 1e-4;
/** A `Date` is made once a second: it may be late by so much, ms. */
const slack = 20;

/** Takes what an answer says; times are those of the browser, ms. */
export function observeClock(date: string | null, askedAt: number, answeredAt: number): void {
  const second = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(second)) return;
  const said = { low: second - answeredAt, high: second + 1000 + slack - askedAt };
  const drifted = (answeredAt - observedAt) * drift;
  observedAt = answeredAt;
  const both = ahead && {
    low: Math.max(said.low, ahead.low - drifted),
    high: Math.min(said.high, ahead.high + drifted),
  };
  // Where answers contradict each other a clock was set.
  ahead = both !== undefined && both.low <= both.high ? both : said;
}

/** The same as a range that it lies in, in whole milliseconds. Before the first answer nothing is known of it. */
export function serviceTimes(): { readonly least: number; readonly most: number } {
  const now = Date.now();
  const { low, high } = ahead ?? { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const drifted = Math.max(0, now - observedAt) * drift;
  return { least: Math.floor(now + low - drifted), most: Math.ceil(now + high + drifted) };
}

/** The time by the service's clock, ms since the Unix epoch; by the browser's own before the first answer. */
export function serviceNow(): number {
  return Date.now() + (ahead === undefined ? 0 : (ahead.low + ahead.high) / 2);
}
