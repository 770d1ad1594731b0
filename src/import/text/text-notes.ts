import { plainName } from '../channel-names.ts';
import type { TextSurvey } from './survey-text.ts';
import { type FoundCell, type FoundCells, plainText, type TextLayout } from './text-layout.ts';

const listedColumns = 10;

/** Tells in words what of a text file was read in another way than numbers, left out or rounded. */
export function textNotes(layout: TextLayout, survey: TextSurvey): string[] {
  const { comments, namesAgain, unended, rounded, local, shortYear, dayStays } = survey;
  const { rowsAbove, rowsBetween, headerLine, dataLine } = layout;
  return [
    ...(rowsAbove === undefined
      ? []
      : [
          `rows above line ${headerLine || dataLine}, where the table begins, left out: ${foundText(rowsAbove)}`,
        ]),
    ...(rowsBetween === undefined
      ? []
      : [`rows between the names and the first values, left out: ${foundText(rowsBetween)}`]),
    ...listed('columns renamed', renamed(layout)),
    ...listed('units as the file names them', units(layout)),
    ...listed('minutes of arc, made degrees', minutes(layout)),
    ...listed('text columns', textColumns(layout, survey)),
    ...listed('booleans, 1 for true and 0 for false', numbersWith(layout, survey, 'boolean')),
    ...listed('units behind numbers', cellUnits(layout)),
    ...listed('words that stand for no value', numbersWith(layout, survey, 'missing')),
    ...listed('numbers nearer to 0 than a number can be, made 0', vanished(layout, survey)),
    ...(comments === undefined ? [] : [`comments among the rows, left out: ${foundText(comments)}`]),
    ...(namesAgain === undefined
      ? []
      : [`names or units of columns once more among the rows, left out: ${foundText(namesAgain)}`]),
    ...(unended === undefined
      ? []
      : [
          `the last row may be cut off: no line break ends it, and its last cell is shorter than those of all others (${placeText(unended)})`,
        ]),
    ...(local === undefined ? [] : [`times without a zone, taken for UTC, first in ${placeText(local)}`]),
    ...(layout.zone === undefined
      ? []
      : [`clocks without a zone, taken for ${layout.zone}, as the name or the unit of their column says`]),
    ...(layout.startZone === undefined ? [] : [layout.startZone]),
    ...layout.metadataNotes,
    ...(dayStays === undefined
      ? []
      : [
          `clocks that go back over midnight while the day beside them stays the same, so that rows stand a day too early: ${foundText(dayStays)}`,
        ]),
    ...(shortYear === undefined
      ? []
      : [`years of two digits, taken for 1970 to 2069, first in ${placeText(shortYear)}`]),
    ...(rounded === undefined ? [] : [`times finer than a nanosecond, rounded: ${foundText(rounded)}`]),
  ];
}

function listed(what: string, found: readonly string[]): string[] {
  if (found.length === 0) return [];
  const others = found.length > listedColumns ? ` and ${found.length - listedColumns} more` : '';
  return [`${what}: ${found.slice(0, listedColumns).join(', ')}${others}`];
}

/** The columns of numbers in which such cells were read as numbers or as none, each with the first cell. */
function numbersWith({ columns }: TextLayout, { facts }: TextSurvey, which: 'boolean' | 'missing'): string[] {
  return columns.flatMap(({ header, role }, i) => {
    const found = facts[i]?.[which];
    if (role !== 'number' || found === undefined) return [];
    return [`${plainText(header)} (line ${found.line}: ${shown(found.cell)})`];
  });
}

/** The columns of numbers in which some are 0 only here, each with how many and the first one. */
function vanished({ columns }: TextLayout, { facts }: TextSurvey): string[] {
  return columns.flatMap(({ header, role }, i) => {
    const found = facts[i]?.vanished;
    return role !== 'number' || found === undefined ? [] : [`${plainText(header)}: ${foundText(found)}`];
  });
}

/** Columns without a name, those whose name another has, and those with control characters in it. */
function renamed({ columns }: TextLayout): string[] {
  return columns.flatMap(({ header, written }) => {
    if (written === undefined) return [];
    const isPlain = plainName(written) === header;
    const why = isPlain ? 'in the file' : 'one more';
    return [`${header} (${written === '' ? 'without a name' : `${why} ${shown(written)}`})`];
  });
}

/** Columns of numbers with units, unless these stand in their cells. */
function units({ columns }: TextLayout): string[] {
  return columns.flatMap(({ name, role, unit, cellUnit }) =>
    role === 'number' && unit !== '' && cellUnit === undefined ? [plainText(`${name} (${unit})`)] : [],
  );
}

/** Latitudes and longitudes that the file has in minutes. */
function minutes({ columns }: TextLayout): string[] {
  return columns.flatMap(({ header, divisor }) =>
    divisor === 1 ? [] : [`${header}${divisor < 0 ? ' (positive to the east)' : ''}`],
  );
}

/** The columns whose cells have a unit of their own. */
function cellUnits({ columns }: TextLayout): string[] {
  return columns.flatMap(({ header, role, cellUnit }) =>
    role === 'number' && cellUnit !== undefined ? [plainText(`${header} (${cellUnit})`)] : [],
  );
}

/** The columns of text, each with the first cell that makes it text. */
function textColumns({ columns }: TextLayout, { facts }: TextSurvey): string[] {
  return columns.flatMap(({ header, role }, i) => {
    const found = facts[i]?.text;
    if (role !== 'text' || found === undefined) return [];
    const why = found.reason === 'no number' ? '' : `, ${found.reason}`;
    return [`${plainText(header)} (line ${found.line}: ${shown(found.cell)}${why})`];
  });
}

function foundText({ count, first }: FoundCells): string {
  return `${count} (${placeText(first)})`;
}

function placeText({ line, cell }: FoundCell): string {
  return `line ${line}: ${shown(cell)}`;
}

function shown(cell: string): string {
  return plainText(`'${cell.length > 40 ? `${cell.slice(0, 40)}…` : cell}'`);
}
