/** From this on, and below it, numbers are written with a power of ten; so are longer ones, where that is shorter. */
const large = 1e9;
const small = 1e-6;
const longLetters = 10;

/** What an axis says at its places, which are a step apart: with all digits of the step, so that each is what it says. */
export function valueTexts(places: readonly (number | null)[], step: number): string[] {
  const most = Math.max(0, ...places.map((place) => Math.abs(place ?? 0)));
  // A step is 1, 2, 2.5 or 5 times a power of ten.
  const digits = Math.ceil(-Math.log10(step)) + 1;
  const powers = () => places.map((place) => (place === null ? '' : powerText(place, digits)));
  if (most > 0 && (most >= large || step < small)) return powers();
  const texts = places.map((place) => (place === null ? '' : plainText(place, Math.max(0, digits))));
  if (lettersOf(texts) <= longLetters) return texts;
  const others = powers();
  return lettersOf(others) < lettersOf(texts) ? others : texts;
}

function lettersOf(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}

/** `2.5e12`, with the digits behind the point that a plain text would have. */
function powerText(value: number, digits: number): string {
  if (value === 0) return '0';
  const power = Math.floor(Math.log10(Math.abs(value)));
  const precision = Math.max(1, Math.min(17, power + digits + 1));
  return Number(value.toPrecision(precision)).toExponential().replace('e+', 'e');
}

/** `12,500.25`. The browser's own formats are not used: the first one takes longer to make than a plot to draw. */
function plainText(value: number, digits: number): string {
  const [whole = '', fraction = ''] = value.toFixed(digits).split('.');
  const told = fraction.replace(/0+$/, '');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  if (told !== '') return `${grouped}.${told}`;
  return grouped === '-0' ? '0' : grouped;
}
