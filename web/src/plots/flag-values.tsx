import type { Look } from '../lines/colours.ts';
import { differenceText } from '../lines/difference.ts';
import { bandText, type Reading, shortText, shortValueText, valueText } from '../lines/reading.ts';
import { Swatch } from '../lines/swatch.tsx';
import { leftSize, rightRoom } from './axes.ts';

/** What a line says at the cursors that stay. */
export interface FlagRow {
  readonly key: string;
  /** Undefined where there is but one line. */
  readonly look: Look | undefined;
  /** Empty where something else says which line it is. */
  readonly label: string;
  /** Undefined where the cursor is not set. */
  readonly a: FlagText | undefined;
  readonly b: FlagText | undefined;
  /** How far B is from A; undefined where that is not known. */
  readonly between: FlagText | undefined;
}

/** A value as short as there is room for, and all that is known of it. */
export interface FlagText {
  readonly short: string;
  readonly whole: string;
}

/** @param read what the line says at a place */
export function flagRow<Place>(
  { key, look, label = '' }: Pick<FlagRow, 'key' | 'look'> & Partial<Pick<FlagRow, 'label'>>,
  read: (place: Place) => Reading | undefined,
  { a, b }: { readonly a: Place | undefined; readonly b: Place | undefined },
): FlagRow {
  const at = (place: Place | undefined) => (place === undefined ? undefined : read(place));
  const text = (place: Place | undefined): FlagText | undefined => {
    const reading = at(place);
    if (place === undefined) return undefined;
    if (reading === undefined) return { short: '–', whole: 'No row here' };
    const band = bandText(reading);
    const whole = band === '' ? valueText(reading) : `${valueText(reading)} (${band})`;
    return { short: shortValueText(reading), whole };
  };
  const whole = differenceText(at(a), at(b));
  const between = whole === '' ? undefined : { short: differenceText(at(a), at(b), shortText), whole };
  return { key, look, label, a: text(a), b: text(b), between };
}

/**
 * The values at A and B in a plot, line by line, between its words and what is drawn, where units have their room: they move
 * nothing. Nothing where neither is set.
 */
export function FlagValues({
  rows,
  rightScales = 0,
}: {
  rows: readonly FlagRow[];
  /** How many scales have room on the right. */
  rightScales?: number;
}) {
  const own = rows.filter(({ a, b }) => a !== undefined || b !== undefined);
  if (own.length === 0) return null;
  return (
    <ul
      class="flag-values"
      aria-label="Values at A and B"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the way to scroll it without a pointer
      tabIndex={0}
      style={{ left: `${leftSize + 4}px`, right: `${rightRoom(rightScales)}px` }}
    >
      {own.map(({ key, look, label, a, b, between }) => (
        <li key={key}>
          {look !== undefined && <Swatch look={look} />}
          {label !== '' && <span>{label}</span>}
          <FlagValue name="A" text={a} />
          <FlagValue name="B" text={b} />
          <FlagValue name="B − A" text={between} />
        </li>
      ))}
    </ul>
  );
}

function FlagValue({ name, text }: { name: string; text: FlagText | undefined }) {
  if (text === undefined) return null;
  return (
    <span>
      {name} <b title={text.whole}>{text.short}</b>
    </span>
  );
}
