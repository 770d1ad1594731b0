import type uPlot from 'uplot';
import { logarithmic } from './draw-points.ts';
import { scaleOf } from './scale-of.ts';
import { type ScaledPlot, scaleRange } from './unit-range.ts';

/** The scales up, one for each unit; some are logarithmic. */
export function valueScales(
  units: readonly string[],
  logs: readonly string[],
  latest: () => ScaledPlot,
): Record<string, uPlot.Scale> {
  return Object.fromEntries(
    units.map((unit) => [
      scaleOf(unit),
      {
        range: () => scaleRange(latest(), unit),
        ...(logs.includes(unit) && { distr: logarithmic }),
      },
    ]),
  );
}
