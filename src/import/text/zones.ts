import { offsetsOf } from './regions.ts';

const hour = 3_600_000_000_000n;
const minute = 60_000_000_000n;
const millisecond = 1_000_000n;

/** Zones by the letters that stand for one offset, in minutes: those of RFC 5322, and others that are as plain. */
const named: Readonly<Record<string, number>> = {
  ...{ z: 0, utc: 0, gmt: 0, ut: 0, wet: 0, west: 60 },
  ...{ cet: 60, cest: 120, mez: 60, mesz: 120, eet: 120, eest: 180, msk: 180 },
  ...{ est: -300, edt: -240, cst: -360, cdt: -300, mst: -420, mdt: -360, pst: -480, pdt: -420 },
  ...{ akst: -540, akdt: -480, hst: -600, jst: 540, kst: 540, aest: 600, aedt: 660, nzst: 720, nzdt: 780 },
};

/** The zone behind a clock, for an expression; with a region or a name of the zone behind it (Java, JavaScript). */
export const zonePattern =
  '(?:\\s?(?<zone>(?:UTC|GMT|Z)?[-+\\u2212]\\d{1,2}(?::?\\d\\d){0,2}|[A-Z][a-z]+(?:/[A-Za-z\\d_+-]+){1,2}|[A-Za-z]{1,5}))?(?:\\s?\\[!?(?<region>[\\w/+:-]{1,40})\\])?(?:\\s?\\([^()]{1,40}\\))?';

/** Names without a city that stand for a region in brackets; other short ones, such as IST, stand for several. */
const shortRegions = /^(?:cet|met|eet|wet|est|mst|hst|prc|roc|rok|uct|gb|nz|[ecmp]st\d[ecmp]dt)$/i;

/**
 * What a zone adds to UTC, ns; or what keeps it from being read. A region without an offset has that of the local time.
 * @param local the clock before the zone, ns, as if it were UTC
 */
export function zoneOffset(
  zone: string | undefined,
  region: string | undefined,
  local: bigint,
): bigint | { readonly problem: string } {
  const text = zone ?? region;
  if (text === undefined || /^(?:etc\/)?(?:utc|gmt|z)$/i.test(text)) return 0n;
  const signed = /^[^/]*?([-+\u2212])(\d{1,2}):?(\d\d)?(?::?(\d\d))?$/.exec(text);
  if (signed !== null) {
    const [, sign, hours, minutes = '0', seconds = '0'] = signed;
    if (Number(hours) > 18 || Number(minutes) > 59 || Number(seconds) > 59)
      return { problem: `there is no zone ${text}` };
    const offset = BigInt(hours!) * hour + BigInt(minutes) * minute + BigInt(seconds) * (minute / 60n);
    return sign === '+' ? offset : -offset;
  }
  const key = zone?.toLowerCase();
  if (key !== undefined && Object.hasOwn(named, key)) return BigInt(named[key]!) * minute;
  const isRegion = text.includes('/') || (zone === undefined && (text.length > 5 || shortRegions.test(text)));
  const offsets = isRegion ? offsetsOf(text, Number(local / millisecond)) : undefined;
  if (offsets === undefined)
    return { problem: `the zone ${text} has no offset beside it, and is none of those that stand for one` };
  const [offset, other] = offsets;
  if (offset === undefined)
    return { problem: `clocks of ${text} leave this time out, for they go forward there` };
  if (other !== undefined)
    return {
      problem: `this time comes twice in ${text}, for clocks go back there; an offset beside it would tell which`,
    };
  return BigInt(offset) * millisecond;
}
