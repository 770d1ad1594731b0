import type { Bounds } from '../lines/bounds.ts';
import { logs, plots, scales, show, states } from '../state/view.ts';
import { unitOf } from './axes.ts';

/** An axis of a plot: the unit, and the parameter that its bounds are kept by. */
export interface ValueAxis {
  readonly unit: string;
  readonly key: string;
  /** What was chosen; undefined: it fits what is seen. */
  readonly bounds: Bounds | undefined;
  readonly isLog: boolean;
}

/** The axes of the plot that shows a parameter, in the order in which it has units. */
export function axesOf(parameter: string): ValueAxis[] {
  const names = plots.value.find((parameters) => parameters.includes(parameter)) ?? [parameter];
  const axes = new Map<string, ValueAxis>();
  for (const key of names) {
    const unit = unitOf(key);
    if (states.value.includes(key) || axes.has(unit)) continue;
    // Any object has a `constructor`.
    const bounds = Object.hasOwn(scales.value, key) ? scales.value[key] : undefined;
    axes.set(unit, { unit, key, bounds, isLog: logs.value.includes(key) });
  }
  return [...axes.values()];
}

/** Sets the bounds of an axis; undefined: it fits what is seen again. */
export function setScale({ key }: ValueAxis, bounds: Bounds | undefined): void {
  const { [key]: _, ...others } = scales.value;
  show({ scales: bounds === undefined ? others : { ...others, [key]: bounds } }, 'replace');
}

/** Lets the axis of a unit in the plot of a parameter fit what is seen. */
export function resetScale(parameter: string, unit: string): void {
  const axis = axesOf(parameter).find((own) => own.unit === unit);
  if (axis?.bounds !== undefined) setScale(axis, undefined);
}

/** Whether the axis of a parameter in its plot is logarithmic. */
export function isLogAxis(parameter: string): boolean {
  const unit = unitOf(parameter);
  return axesOf(parameter).some((axis) => axis.unit === unit && axis.isLog);
}

/** Makes an axis logarithmic, or even again. Bounds that a logarithm has no place for go. */
export function turnLog({ key, bounds, isLog }: ValueAxis): void {
  const { [key]: _, ...others } = scales.value;
  const isInPlace = bounds === undefined || bounds[0] > 0;
  show({
    logs: isLog ? logs.value.filter((other) => other !== key) : [...logs.value, key],
    ...(!isLog && !isInPlace && { scales: others }),
  });
}
