import type { ParameterEntry } from './parameter-entry.ts';

/** Channels that say where something is: `x` to the right, or the longitude; `y` up, or the latitude. */
export interface Position {
  readonly x: ParameterEntry;
  readonly y: ParameterEntry;
  /** The third of three axes. In games it often lies on the ground, and `y` goes up. */
  readonly z: ParameterEntry | undefined;
}

/** What a name may have besides: `GPS Latitude`, `PosX`, `carPositionY`, `lat_deg`. */
const before =
  '(?:gps|gnss|ins|imu|nav|pos|position|loc|location|coord|coordinate|car|vehicle|world|local|track|map|motion|m)*';
const behind = '(?:pos|position|coord|coordinate|deg|degrees|dd|m|metres|meters)*';
/** Pairs of names in the order in which they are believed. */
const pairs: readonly (readonly [x: RegExp, y: RegExp])[] = [
  ['(?:longitude|long|lon|lng)', '(?:latitude|lat)'],
  ['x', 'y'],
  ['(?:easting|east)', '(?:northing|north)'],
].map(([x, y]) => [named(x!), named(y!)] as const);

const plainX = pairs[1]![0];
const plainZ = named('z');
const longitude = pairs[0]![0];
const latitude = pairs[0]![1];

function named(core: string): RegExp {
  return new RegExp(`^${before}${core}${behind}$`);
}

/** Whether a channel is called as one for degrees around the globe. */
export function isLongitude(entry: ParameterEntry): boolean {
  return isCalled(entry, longitude);
}

export function isLatitude(entry: ParameterEntry): boolean {
  return isCalled(entry, latitude);
}

/** The position among channels, by their names; undefined where none seems to be one. */
export function positionOf(known: readonly ParameterEntry[]): Position | undefined {
  const numeric = known.filter(({ type }) => type === 'Numeric');
  for (const [xName, yName] of pairs) {
    const called = (name: RegExp) =>
      // "X" rather than "WorldPositionX".
      numeric.filter((entry) => isCalled(entry, name)).sort((a, b) => a.id.length - b.id.length);
    const ys = called(yName);
    for (const x of called(xName)) {
      const y = mostAlike(x, ys);
      const z = xName === plainX ? mostAlike(x, called(plainZ)) : undefined;
      if (y !== undefined) return { x, y, z };
    }
  }
  return undefined;
}

/** The other one of the same position: of the same place and unit, and called alike. */
function mostAlike(x: ParameterEntry, others: readonly ParameterEntry[]): ParameterEntry | undefined {
  return others.filter(({ unit }) => unit === x.unit).sort((a, b) => unlikeness(x, a) - unlikeness(x, b))[0];
}

function isCalled({ id, name }: ParameterEntry, pattern: RegExp): boolean {
  return [id, name].some((text) => pattern.test(lettersOf(text)));
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/g, '');
}

/** How differently two channels are called, and whether they are of different places. */
function unlikeness(a: ParameterEntry, b: ParameterEntry): number {
  let same = 0;
  while (same < a.id.length && a.id[same]!.toLowerCase() === b.id[same]?.toLowerCase()) same++;
  return Math.abs(a.id.length - b.id.length) - same + (a.location === b.location ? 0 : 100);
}
