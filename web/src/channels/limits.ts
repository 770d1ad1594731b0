import { signal } from '@preact/signals';
import type { Limits } from '../lines/limits.ts';
import { openParameters } from './parameters.ts';

/** Undefined where there are none. */
export function limitsOf(parameter: string): Limits | undefined {
  const known = openParameters.value.value?.find(({ id, type }) => id === parameter && type === 'Numeric');
  if (known === undefined || (known.minimum === undefined && known.maximum === undefined)) return undefined;
  return { least: known.minimum, largest: known.maximum };
}

/** `0 … 300`, or what there is of it. */
export function limitsText({ least, largest }: Limits): string {
  return `${least ?? ''} … ${largest ?? ''}`.trim();
}

/** A channel that leaves its limits in the range that is seen. */
export interface Outside {
  /** Of all its rows. */
  readonly low: number;
  readonly high: number;
  /** How many rows are outside; undefined where they were not counted. */
  readonly rows: number | undefined;
}

/** Those that do, by their ids: what is plotted tells the range. */
export const outside = signal<ReadonlyMap<string, Outside>>(new Map());
