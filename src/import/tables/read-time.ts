import { timeOfCell } from '../text/cells.ts';
import { nsOfDay } from '../text/dates.ts';
import type { TimeForm } from '../text/text-layout.ts';
import { float32Text } from './numbers.ts';
import type { SettledTime } from './settle-time.ts';
import type { Cell, SourceColumn } from './table-source.ts';
import { cellText } from './time-facts.ts';

const unitNs: Readonly<Partial<Record<TimeForm, bigint>>> = {
  ...{ h: 3_600_000_000_000n, min: 60_000_000_000n, s: 1_000_000_000n },
  ...{ ms: 1_000_000n, us: 1000n, ns: 1n },
};

const least = -(2n ** 63n);
const most = 2n ** 63n - 1n;

/**
 * Reads times one after the other, in their order: a clock that goes back has passed midnight. Gives ns since the Unix epoch;
 * undefined for what is no time, or out of the range of 64 bits.
 */
export function timeReader(
  { kind, isFloat32 }: SourceColumn,
  { form, start }: Pick<SettledTime, 'form' | 'start'>,
): (cell: Cell) => bigint | undefined {
  const unit = unitNs[form];
  const isClock = kind === 'clock' || kind === 'utc-clock' || form === 'clock' || form === 'hhmmss';
  let days = 0n;
  let before: bigint | undefined;
  const textOf = (cell: Exclude<Cell, Uint8Array>): string =>
    isFloat32 === true && typeof cell === 'number' ? float32Text(cell) : cellText(cell);
  const timeOf = (cell: Cell): bigint | undefined => {
    if (cell === null || cell instanceof Uint8Array) return undefined;
    if (typeof cell === 'bigint' && kind !== 'plain') return cell + start;
    if (unit === undefined) return timeOfCell(textOf(cell), form, start);
    if (typeof cell === 'bigint') return cell * unit + start;
    if (typeof cell === 'number' && Number.isSafeInteger(cell)) return BigInt(cell) * unit + start;
    const text = textOf(cell);
    // Numbers and dates may stand in one column.
    return (
      timeOfCell(text, form, start) ?? (typeof cell === 'string' ? timeOfCell(text, 'iso', 0n) : undefined)
    );
  };
  const within = (time: bigint | undefined): bigint | undefined =>
    time === undefined || time < least || time > most ? undefined : time;
  if (!isClock) return (cell) => within(timeOf(cell));
  return (cell) => {
    const time = timeOf(cell);
    if (time === undefined) return undefined;
    if (before !== undefined && time + days < before - nsOfDay / 2n) days += nsOfDay;
    before = time + days;
    return within(before);
  };
}
