import { emptyView, formatView, parseView, type Sheet, type View } from './view-text.ts';

/** What each sheet of a view has for itself. Runs, range, laps, cursors and sectors are the same on all. */
export const sheetParts = [
  'plots',
  'heights',
  'scales',
  'logs',
  'states',
  'mode',
  'beside',
  'xy',
  'xyAs',
  'xyWith',
  'histogram',
  'spectrum',
  'spectrumWindow',
  'spectrumPieces',
  'report',
  'reportRuns',
  'reportSort',
  'map',
  'bands',
  'panel',
] as const satisfies readonly (keyof View)[];

type Own = Pick<View, (typeof sheetParts)[number]>;
/** A change of a view, of which nothing is changed where there is nothing to do. */
type Change = Partial<View>;

function ownOf(shown: View): Own {
  return Object.fromEntries(sheetParts.map((name) => [name, shown[name]])) as Own;
}

/** The sheets with what is seen kept in the one that is shown; a view without any has one. */
function kept(shown: View): Sheet[] {
  const parts = formatView({ ...emptyView, ...ownOf(shown) });
  const sheets = shown.sheets.length === 0 ? [{ name: nameOf(1), parts }] : shown.sheets;
  return sheets.map((own, i) => (i === shown.sheet ? { ...own, parts } : own));
}

/** Shows a sheet of these: its own parts take the place of what is seen. */
function shownOf(sheets: readonly Sheet[], place: number): Change {
  const own = sheets[place];
  if (own === undefined) return {};
  return {
    ...ownOf(parseView(own.parts)),
    sheet: place,
    sheets: sheets.map((sheet, i) => (i === place ? { ...sheet, parts: '' } : sheet)),
  };
}

export function toSheet(shown: View, place: number): Change {
  return place === shown.sheet || place < 0 || place >= shown.sheets.length
    ? {}
    : shownOf(kept(shown), place);
}

/** A new one behind the others, which begins as what is seen. */
export function withSheet(shown: View): Change {
  const sheets = kept(shown);
  const names = new Set(sheets.map(({ name }) => name));
  let number = sheets.length + 1;
  while (names.has(nameOf(number))) number++;
  const parts = sheets[shown.sheet]!.parts;
  return shownOf([...sheets, { name: nameOf(number), parts }], sheets.length);
}

export function renamed(shown: View, place: number, name: string): Change {
  return { sheets: shown.sheets.map((own, i) => (i === place ? { ...own, name } : own)) };
}

/** Takes a sheet away; the one that comes in its place is shown. The last one alone is no sheet any more. */
export function withoutSheet(shown: View, place: number): Change {
  const left = kept(shown).filter((_, i) => i !== place);
  const next = place < shown.sheet ? shown.sheet - 1 : Math.min(shown.sheet, left.length - 1);
  const change = shownOf(left, next);
  return left.length === 1 ? { ...change, sheets: [], sheet: 0 } : change;
}

/** Puts a sheet one place on (1) or back (-1). */
export function movedSheet(shown: View, place: number, by: 1 | -1): Change {
  const to = place + by;
  const [own, other] = [shown.sheets[place], shown.sheets[to]];
  if (own === undefined || other === undefined) return {};
  const sheet = shown.sheet === place ? to : shown.sheet === to ? place : shown.sheet;
  return { sheets: shown.sheets.with(place, other).with(to, own), sheet };
}

function nameOf(number: number): string {
  return `Sheet ${number}`;
}
