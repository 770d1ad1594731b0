import { timeUnitWords } from './time-names.ts';

/** The units that loggers write, in small letters: in round brackets, or in a row of their own, only these are units. */
const known = new Set(
  [
    '% ° °c °f °k °/s °/s² deg deg/s deg/s² degree degrees degc degf rad rad/s c f k celsius fahrenheit kelvin',
    ...timeUnitWords,
    'm mm cm km um µm nm in inch inches ft feet mi mile miles yd nmi 1/m 1/km km2 m2 m²',
    'km/h kmh kph km/hr mph mi/h m/s mm/s ft/s kn kt kts knot knots mps meters/second metres/second',
    'm/s² m/s^2 m/s2 m/s/s ft/s² g gs gee',
    'rpm 1/min 1/s min-1 s-1 hz khz mhz ghz rps',
    'v mv kv µv uv volt volts a ma µa ka amp amps w kw mw hp ps bhp va ohm ohms kohm ω kω mohm f µf nf ah mah wh kwh',
    'pa hpa kpa mpa bar mbar psi atm mmhg inhg torr n nm n·m n.m n/mm ft-lb ft.lb lb-ft lbft lbf j kj mj',
    'kg mg t lb lbs oz kg/h kg/s g/s mg/s g/min lb/min g/km',
    'l ml cl dl gal l/h l/100km l/min m3 m³ m3/h cc mpg cfm km/l',
    'ratio lambda λ afr ppm ppb db dba lx lux cd lm w/m² w/m2 µstrain ue',
    'count counts raw bit bits byte bytes kb state',
  ].flatMap((line) => line.split(' ')),
);

/** What says that there is no unit, or nothing of a unit. */
const none = new Set([
  '',
  '-',
  '""',
  '1',
  '[]',
  '()',
  'no unit',
  'unitless',
  'none',
  'unix time',
  'unixtime',
  '#',
  'bool',
  'enum',
]);

const longest = 24;

export function isUnit(text: string): boolean {
  return known.has(text.trim().toLowerCase());
}

/** A cell of a row of units, without brackets round it. */
export function unitOfCell(cell: string): string {
  const bare = /^(?:\[(.*)\]|\((.*)\))$/.exec(cell.trim());
  const unit = (bare === null ? cell : (bare[1] ?? bare[2] ?? '')).trim();
  return none.has(unit.toLowerCase()) ? '' : unit;
}

/** Whether a row has units: most of its cells are known ones, or all stand in brackets. */
export function isUnitsRow(cells: readonly string[]): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '' && cell !== '""');
  if (filled.length === 0) return false;
  if (filled.every((cell) => /^(\[.*\]|\(.*\))$/.test(cell))) return true;
  // A row of values may have some texts that are units as well.
  if (filled.some((cell) => cell !== '1' && /^[-+]?[\d.,]*\d$/.test(cell))) return false;
  return filled.filter((cell) => isUnit(cell) || none.has(cell.toLowerCase())).length >= filled.length * 0.6;
}

/** An element of a list: `wheel[0]`. */
const indexed = /\S\[\d+\]$/;

/** `Speed [km/h]` and `Speed (km/h)` are Speed in km/h; in round brackets only a known unit is one. */
export function splitHeader(header: string): { readonly name: string; readonly unit: string } {
  if (indexed.test(header.trim())) return { name: header.trim(), unit: '' };
  const match = /^(.*\S)\s*(?:\[([^[\]]*)\]|\(([^()]*)\))$/.exec(header.trim());
  const [, name, square, round] = match ?? [];
  const unit = square ?? (round !== undefined && (isUnit(round) || none.has(round)) ? round : undefined);
  if (name === undefined || unit === undefined || unit.length > longest)
    return { name: header.trim(), unit: '' };
  return { name, unit: unitOfCell(unit) };
}
