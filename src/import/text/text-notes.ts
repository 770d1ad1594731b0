import type { FoundCells, TextSurvey } from './survey-text.ts';
import { plainText, type TextLayout } from './text-layout.ts';

const listedColumns = 10;

/** What a text file has that was read in another way than numbers, left out or rounded, in words. */
export function textNotes(layout: TextLayout, survey: TextSurvey): string[] {
  const { comments, rounded } = survey;
  const texts = textColumns(layout, survey);
  const listed = texts.slice(0, listedColumns).join(', ');
  const others = texts.length > listedColumns ? ` and ${texts.length - listedColumns} more` : '';
  return [
    ...(texts.length > 0 ? [`text columns: ${listed}${others}`] : []),
    ...(comments === undefined ? [] : [`comments among the rows, left out: ${foundText(comments)}`]),
    ...(rounded === undefined ? [] : [`times finer than a nanosecond, rounded: ${foundText(rounded)}`]),
  ];
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
  return `${count} (line ${first.line}: ${shown(first.cell)})`;
}

function shown(cell: string): string {
  return plainText(`'${cell.length > 40 ? `${cell.slice(0, 40)}…` : cell}'`);
}
