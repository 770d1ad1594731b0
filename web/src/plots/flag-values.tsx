import type { Look } from '../lines/colours.ts';
import { differenceText } from '../lines/difference.ts';
import { bandText, type Reading, valueText } from '../lines/reading.ts';
import { Swatch } from '../lines/swatch.tsx';

/** What a line says at the cursors that stay. */
export interface FlagRow {
  readonly key: string;
  /** Undefined where there is but one line. */
  readonly look: Look | undefined;
  /** Empty where something else says which line it is. */
  readonly label: string;
  /** Undefined where the cursor is not set. */
  readonly a: string | undefined;
  readonly b: string | undefined;
  /** How far B is from A; empty where that is not known. */
  readonly between: string;
}

/** @param read what the line says at a place */
export function flagRow<Place>(
  { key, look, label = '' }: Pick<FlagRow, 'key' | 'look'> & Partial<Pick<FlagRow, 'label'>>,
  read: (place: Place) => Reading | undefined,
  { a, b }: { readonly a: Place | undefined; readonly b: Place | undefined },
): FlagRow {
  const at = (place: Place | undefined) => (place === undefined ? undefined : read(place));
  const text = (place: Place | undefined) => {
    const reading = at(place);
    if (place === undefined) return undefined;
    if (reading === undefined) return '–';
    const band = bandText(reading);
    return band === '' ? valueText(reading) : `${valueText(reading)} (${band})`;
  };
  return { key, look, label, a: text(a), b: text(b), between: differenceText(at(a), at(b)) };
}

/** The values at A and B in a plot, line by line; nothing where neither is set. */
export function FlagValues({ rows }: { rows: readonly FlagRow[] }) {
  const own = rows.filter(({ a, b }) => a !== undefined || b !== undefined);
  if (own.length === 0) return null;
  return (
    <ul class="flag-values">
      {own.map(({ key, look, label, a, b, between }) => (
        <li key={key}>
          {look !== undefined && <Swatch look={look} />}
          {label !== '' && <span>{label}</span>}
          <FlagValue name="A" text={a} />
          <FlagValue name="B" text={b} />
          <FlagValue name="B − A" text={between === '' ? undefined : between} />
        </li>
      ))}
    </ul>
  );
}

function FlagValue({ name, text }: { name: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <span>
      {name} <b>{text}</b>
    </span>
  );
}
