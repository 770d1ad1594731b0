import type { ValueNames } from '../../domain/definition.ts';
import { isEnumeration, valueNamesOf } from '../enumeration.ts';
import type { DbcMessage, DbcSignal } from './dbc.ts';
import { bytesOfSignal, exactReader, rawReader } from './read-signal.ts';

export type Cell = number | string | null;

/** A signal as a channel. */
export interface SignalReader {
  readonly signal: DbcSignal;
  isText: boolean;
  /** Where only single values have names: these, of physical values. */
  readonly valueNames: ValueNames | undefined;
  /** Null where the frame is too short for it, or another multiplexed signal stands there. */
  read(data: Uint8Array): Cell;
  /** For whole numbers that may have more digits than a double: whether this one has. */
  readonly isWide: ((data: Uint8Array) => boolean) | undefined;
  /** From now on they are text, with all their digits. */
  readText(): void;
}

/** Readers of the signals of a message, in its order. */
export function signalReaders({ signals }: DbcMessage): SignalReader[] {
  return signals.map(signalReader);
}

function signalReader(signal: DbcSignal): SignalReader {
  const { factor, offset, names, unit, isFloat, length } = signal;
  const raw = rawReader(signal);
  const isThere = presence(signal);
  const isPlain = factor === 1 && offset === 0;
  const isNamed = isPlain && unit === '' && !isFloat && isEnumeration([...names.keys()]);
  const physical = isPlain ? raw : (data: Uint8Array): number => raw(data) * factor + offset;
  const named = (data: Uint8Array): string => {
    const value = raw(data);
    return names.get(value) ?? String(value);
  };
  const only = (read: (data: Uint8Array) => Cell) => (data: Uint8Array) =>
    isThere(data) ? read(data) : null;
  const exact = isPlain && !isNamed && !isFloat && length > 53 ? exactReader(signal) : undefined;
  const reader: SignalReader = {
    signal,
    isText: isNamed,
    valueNames: isNamed
      ? undefined
      : valueNamesOf([...names].map(([value, name]) => [value * factor + offset, name])),
    read: only(isNamed ? named : physical),
    isWide: exact && ((data) => isThere(data) && BigInt(raw(data)) !== exact(data)),
    readText() {
      reader.isText = true;
      reader.read = only((data) => String(exact!(data)));
    },
  };
  return reader;
}

/** Whether a frame has the signal: it is long enough, and what multiplexes it says so. */
function presence(signal: DbcSignal): (data: Uint8Array) => boolean {
  const bytes = bytesOfSignal(signal);
  const { multiplexed } = signal;
  if (multiplexed === undefined) return (data) => data.length >= bytes;
  const { by, ranges } = multiplexed;
  const [isThere, read] = [presence(by), rawReader(by)];
  return (data) => {
    if (data.length < bytes || !isThere(data)) return false;
    const value = read(data);
    return ranges.some(([first, last]) => value >= first && value <= last);
  };
}
