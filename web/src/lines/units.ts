/** How a number of one unit becomes that of another one: times `factor`, plus `offset`. */
export interface Conversion {
  readonly unit: string;
  readonly factor: number;
  readonly offset: number;
}

/** As it is written, how many of the base unit one is, and what of the base unit 0 is; then other ways to write it. */
type UnitLine = readonly [name: string, size: number, zero: number, ...others: string[]];

const inch = 25.4;
const pound = 0.45359237;
const gravity = 9.80665;
const poundForce = pound * gravity;
const foot = 0.3048;
const turn = 2 * Math.PI;

/**
 * Units that convert into each other, kind by kind, exact by their definitions (NIST SP 811, appendix B). Ways and times
 * are not here: laps lie over a way, and the axis is one of time.
 */
const kinds: readonly (readonly UnitLine[])[] = [
  [
    ['km/h', 1 / 3.6, 0, 'kph', 'kmh', 'km/hr', 'kmph'],
    ['m/s', 1, 0, 'mps', 'm s-1'],
    ['mph', 0.44704, 0, 'mi/h', 'miles/h'],
    ['kn', 1852 / 3600, 0, 'kt', 'kts', 'knots'],
    ['ft/s', foot, 0, 'fps'],
  ],
  [
    ['bar', 1e5, 0],
    ['mbar', 100, 0],
    ['kPa', 1000, 0],
    ['MPa', 1e6, 0],
    ['hPa', 100, 0],
    ['Pa', 1, 0],
    ['psi', poundForce / (inch / 1000) ** 2, 0, 'lbf/in²', 'lbf/in2'],
    ['inHg', 3386.389, 0],
  ],
  [
    ['°C', 1, 273.15, 'C', 'degC', 'deg C', '℃', 'celsius'],
    ['°F', 5 / 9, 459.67 * (5 / 9), 'F', 'degF', 'deg F', '℉', 'fahrenheit'],
    ['K', 1, 0, 'kelvin'],
  ],
  [
    ['deg', turn / 360, 0, '°', 'degree', 'degrees'],
    ['rad', 1, 0, 'radian', 'radians'],
    ['mrad', 0.001, 0],
  ],
  [
    ['rpm', turn / 60, 0, '1/min', 'min-1', 'min⁻¹', 'rev/min', 'r/min', 'U/min'],
    ['rad/s', 1, 0],
    ['deg/s', turn / 360, 0, '°/s', 'dps'],
    ['Hz', turn, 0, '1/s'],
  ],
  [
    ['N·m', 1, 0, 'Nm', 'N.m', 'N*m', 'N m'],
    [
      'lb·ft',
      poundForce * foot,
      0,
      'lbft',
      'lb-ft',
      'lb.ft',
      'lb ft',
      'ft·lb',
      'ft-lb',
      'ft lb',
      'ftlb',
      'lbf·ft',
      'ft·lbf',
      'ft-lbf',
    ],
    ['kgf·m', gravity, 0, 'kgfm', 'kgm'],
  ],
  [
    ['g', gravity, 0, 'G', 'gn'],
    ['m/s²', 1, 0, 'm/s2', 'm/s^2', 'm/s/s', 'm s-2', 'mps2'],
    ['ft/s²', foot, 0, 'ft/s2', 'ft/s^2'],
  ],
  [
    ['kg', 1, 0],
    ['lb', pound, 0, 'lbs'],
  ],
  [
    ['L', 1, 0, 'l', 'litre', 'litres', 'liter'],
    ['mL', 0.001, 0, 'ml', 'cc', 'cm³'],
    ['US gal', 3.785411784, 0, 'gal', 'gallon'],
    ['imp gal', 4.54609, 0, 'gal (imp)'],
  ],
  [
    ['L/h', 1, 0, 'l/h', 'L/hr'],
    ['L/min', 60, 0, 'l/min'],
    ['US gal/h', 3.785411784, 0, 'gal/h', 'gph'],
  ],
  [
    ['kg/h', 1, 0],
    ['g/s', 3.6, 0],
    ['lb/h', pound, 0, 'lb/hr', 'pph'],
  ],
  [
    ['kW', 1000, 0],
    ['W', 1, 0],
    ['hp', 550 * foot * poundForce, 0, 'HP', 'bhp'],
    ['PS', 75 * gravity, 0, 'ps', 'cv'],
  ],
  [
    ['N', 1, 0],
    ['kN', 1000, 0],
    ['daN', 10, 0],
    ['lbf', poundForce, 0],
    ['kgf', gravity, 0],
  ],
  [
    ['mm', 1, 0],
    ['cm', 10, 0],
    ['in', inch, 0, 'inch', 'inches', '"'],
  ],
  [
    ['V', 1, 0, 'volt', 'volts'],
    ['mV', 0.001, 0],
  ],
  [
    ['A', 1, 0, 'amp', 'amps'],
    ['mA', 0.001, 0],
  ],
];

const places = new Map<string, readonly [kind: readonly UnitLine[], line: UnitLine]>();
for (const kind of kinds)
  for (const line of kind)
    for (const name of [line[0], ...line.slice(3)]) places.set(String(name), [kind, line] as const);

/** What is another unit than in small letters: a million and no thousandth, or kilonewtons and no knots. */
const otherInCapitals = new Set(['Mbar', 'Mm', 'Mrad', 'Ml', 'KN']);

/** A unit as it may be written: brackets around it, and small letters where no other unit has them. */
function placeOf(unit: string) {
  const bare = unit
    .trim()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^\((.*)\)$/, '$1')
    .trim();
  return places.get(bare) ?? (otherInCapitals.has(bare) ? undefined : places.get(bare.toLowerCase()));
}

/** Units that numbers of a unit can be shown in, itself as it is written among them; none where it is not known. */
export function unitsLike(unit: string): string[] {
  const [kind, own] = placeOf(unit) ?? [];
  return kind?.map((line) => (line === own ? unit : line[0])) ?? [];
}

/** Whether they convert into each other, or are the same. */
export function areAlike(unit: string, other: string): boolean {
  return unit === other || (placeOf(unit) !== undefined && placeOf(unit)?.[0] === placeOf(other)?.[0]);
}

/** Undefined where there is none, or nothing to do. */
export function conversionTo(unit: string, from: string): Conversion | undefined {
  const [a, b] = [placeOf(from), placeOf(unit)];
  if (a === undefined || b === undefined || a[0] !== b[0] || a[1] === b[1]) return undefined;
  const [, size, zero] = a[1];
  const [, otherSize, otherZero] = b[1];
  return { unit, factor: rounded(size / otherSize), offset: rounded((zero - otherZero) / otherSize, 14) };
}

/** Without the last digit of doubles, in which quotients are off. */
function rounded(value: number, digits = 15): number {
  return Number(value.toPrecision(digits));
}
