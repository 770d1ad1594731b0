import { timeOfCell } from '../../../src/import/text/cells.ts';

/** A start as one reads and writes it, in UTC, without digits that are zero. */
export function startText(time: bigint): string {
  const millis = time / 1_000_000n - (time % 1_000_000n < 0n ? 1n : 0n);
  const date = new Date(Number(millis));
  if (Number.isNaN(date.getTime())) return String(time);
  const nanos = String(((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n).padStart(9, '0');
  const fraction = nanos.replace(/0+$/, '');
  const text = date.toISOString().slice(0, 19).replace('T', ' ');
  return fraction === '' ? text : `${text}.${fraction}`;
}

/** Undefined for what is no time; one without a zone is UTC. */
export function parseStart(text: string): bigint | undefined {
  return timeOfCell(text, 'iso', 0n) ?? (/^-?\d{11,}$/.test(text) ? timeOfCell(text, 'ns', 0n) : undefined);
}
