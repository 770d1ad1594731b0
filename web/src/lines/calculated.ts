import { signal } from '@preact/signals';

/** Names of the channels whose rows are worked out when they are read: those of the view, and those that topics keep. */
export const calculatedNames = signal<ReadonlySet<string>>(new Set());

export function isCalculated(name: string): boolean {
  return calculatedNames.value.has(name);
}
