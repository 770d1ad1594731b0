import type uPlot from 'uplot';
import { type Note, openNote } from './note.ts';

/** A note as it stands in a plot. */
export interface NoteFlag {
  readonly note: Note;
  /** Where it stands across. */
  readonly place: number;
}

/** A text with less room than this is a sign alone, in pixels. */
const leastRoom = 46;
/** One with less has no room for the sign. */
const signRoom = 14;
const mostRoom = 220;

/** Draws a line at each note that is seen, with its text where the plot has texts; a click opens it. */
export function placeNotes(chart: uPlot, flags: readonly NoteFlag[], hasTexts: boolean): void {
  const { over } = chart;
  const { min, max } = chart.scales['x']!;
  for (const flag of over.querySelectorAll('.note-flag')) flag.remove();
  const seen = flags
    .filter(({ place }) => place >= min! && place <= max!)
    .map(({ note, place }) => ({ note, left: chart.valToPos(place, 'x') }));
  for (const [i, { note, left }] of seen.entries()) {
    const flag = document.createElement('i');
    flag.className = 'note-flag';
    flag.style.left = `${left}px`;
    over.append(flag);
    const toNext = (seen[i + 1]?.left ?? over.clientWidth) - left - 4;
    const toLast = left - (seen[i - 1]?.left ?? 0) - mostRoom;
    // At the right edge a text has its room on the left.
    const isLeft = i === seen.length - 1 && toNext < leastRoom && toLast > toNext;
    const room = Math.min(mostRoom, isLeft ? toLast : toNext);
    if (isLeft) flag.classList.add('left');
    if (!hasTexts || room < signRoom) continue;
    const text = document.createElement('span');
    text.textContent = room < leastRoom ? '✎' : `✎ ${note.text}`;
    text.title = note.text;
    text.style.maxWidth = `${room}px`;
    // It is no place of the plot.
    text.addEventListener('mousedown', (event) => event.stopPropagation());
    text.addEventListener('click', (event) => {
      event.stopPropagation();
      openNote.value = note;
    });
    flag.append(text);
  }
}
