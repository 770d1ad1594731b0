/** Rows with a place each, in the units of their channels. */
export interface PlaceRows {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly gaps: Uint8Array;
}

/** The same on flat ground: one unit across is as long as one unit up. NaN where a row has no place. */
export interface Path {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly gaps: Uint8Array;
}

export interface Ground {
  pathOf(rows: PlaceRows): Path;
  /** How long a unit of a path is; undefined where it is not known. */
  readonly metres: number | undefined;
}

/** Of x and y in one unit. */
export function plainGround(unit: string): Ground {
  const metres = new Map([
    ['m', 1],
    ['km', 1000],
    ['cm', 0.01],
    ['mm', 0.001],
    ['ft', 0.3048],
    ['mi', 1609.344],
  ]).get(unit.toLowerCase());
  return {
    pathOf: ({ x, y, gaps }) => ({ x: Float64Array.from(x), y: Float64Array.from(y), gaps }),
    metres,
  };
}

/** Metres of a degree of latitude, on a globe of the mean radius of the Earth. */
const degreeMetres = (6_371_008.8 * Math.PI) / 180;

/**
 * Of longitude and latitude: a degree of longitude is as long as the cosine of the latitude says. Receivers write 0°, 0°
 * before they know where they are: such rows have no place. Undefined where the numbers are no degrees.
 */
export function globeGround(unit: string, rows: readonly PlaceRows[]): Ground | undefined {
  const degrees = degreesOf(unit);
  let [count, sum, west, east] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x, y } of rows) {
    for (let i = 0; i < x.length; i++) {
      if (!isPlace(x[i]!, y[i]!)) continue;
      const [longitude, latitude] = [x[i]! * degrees, y[i]! * degrees];
      if (Math.abs(latitude) > 90 || Math.abs(longitude) > 360) return undefined;
      count++;
      sum += latitude;
      west = Math.min(west, longitude);
      east = Math.max(east, longitude);
    }
  }
  const narrow = Math.cos(((count === 0 ? 0 : sum / count) * Math.PI) / 180);
  // Across the line where longitudes jump from 180 to -180.
  const shift = east - west > 180 ? 360 : 0;
  return {
    pathOf({ x, y, gaps }) {
      const own = { x: new Float64Array(x.length), y: new Float64Array(x.length) };
      for (let i = 0; i < x.length; i++) {
        const isKnown = isPlace(x[i]!, y[i]!);
        const longitude = x[i]! * degrees;
        own.x[i] = isKnown ? (longitude < 0 ? longitude + shift : longitude) * narrow : Number.NaN;
        own.y[i] = isKnown ? y[i]! * degrees : Number.NaN;
      }
      return { ...own, gaps };
    },
    metres: degreeMetres,
  };
}

function isPlace(x: number, y: number): boolean {
  return x !== 0 || y !== 0;
}

function degreesOf(unit: string): number {
  const name = unit.toLowerCase();
  if (/^rad/.test(name)) return 180 / Math.PI;
  return /^(min|arcmin|′|')/.test(name) ? 1 / 60 : 1;
}
