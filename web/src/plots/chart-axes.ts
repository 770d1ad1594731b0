import type uPlot from 'uplot';
import { leftSize, rightSize } from './axes.ts';
import { scaleOf } from './scale-of.ts';
import { valueTexts } from './value-texts.ts';

const font = '11px system-ui, sans-serif';

/** The axes of a chart: across, which says nothing itself, and up on both sides. */
export function chartAxes(
  units: readonly string[],
  { ink, grid }: { readonly ink: string; readonly grid: string },
  splits: (width: number) => number[],
): uPlot.Axis[] {
  const axis = {
    stroke: ink,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
    font,
  };
  return [
    {
      ...axis,
      // What it says stands below all plots, once.
      values: (_, places) => places.map(() => null),
      splits: (self) => splits(self.width),
      size: 0,
      ticks: { show: false },
    },
    ...units.slice(0, 2).map((unit, i) => ({
      ...axis,
      scale: scaleOf(unit),
      // Its own words round to three digits, whatever the step.
      values: (_self: uPlot, places: number[], _axis: number, _space: number, step: number) =>
        valueTexts(places, step),
      side: i === 0 ? (3 as const) : (1 as const),
      size: i === 0 ? leftSize : rightSize,
      grid: { show: i === 0, stroke: grid, width: 1 },
    })),
  ];
}
