/** From this on, and below it, numbers are written with a power of ten. */
const large = 1e9;
const small = 1e-6;

/** What an axis says at its places, which are a step apart: with all digits of the step, so that each is what it says. */
export function valueTexts(places: readonly (number | null)[], step: number): string[] {
  const most = Math.max(0, ...places.map((place) => Math.abs(place ?? 0)));
  // A step is 1, 2, 2.5 or 5 times a power of ten.
  const digits = Math.ceil(-Math.log10(step)) + 1;
  if (most === 0 || (most < large && step >= small)) {
    const format = formatOf(Math.max(0, digits));
    return places.map((place) => (place === null ? '' : format.format(place)));
  }
  return places.map((place) => {
    if (place === null) return '';
    if (place === 0) return '0';
    const power = Math.floor(Math.log10(Math.abs(place)));
    const precision = Math.max(1, Math.min(17, power + digits + 1));
    return Number(place.toPrecision(precision)).toExponential().replace('e+', 'e');
  });
}

/** They are dear to make, and live plots are drawn many times a second. */
const formats = new Map<number, Intl.NumberFormat>();

function formatOf(digits: number): Intl.NumberFormat {
  const known = formats.get(digits);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat('en', { maximumFractionDigits: digits });
  formats.set(digits, made);
  return made;
}
