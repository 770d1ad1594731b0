import type { Labels } from './labels.ts';

/** Seconds of milliseconds, exact to the microsecond. */
export function secondsText(ms: number): string {
  return String(Number.isInteger(ms) ? ms / 1000 : Math.round(ms * 1000) / 1e6);
}

export function metric({ pairs }: Labels): string {
  return `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
}
