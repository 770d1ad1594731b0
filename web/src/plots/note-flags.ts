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
  const { over, bbox } = chart;
  const { min, max } = chart.scales['x']!;
  // To ask the page for it would lay the page out, once for each chart.
  const width = bbox.width / devicePixelRatio;
  // Those that are there are moved: live, plots are drawn between the press of a button and its end.
  const there = [...over.querySelectorAll<HTMLElement>('.note-flag')];
  const seen = flags
    .filter(({ place }) => place >= min! && place <= max!)
    .map(({ note, place }) => ({ note, left: chart.valToPos(place, 'x') }));
  for (const [i, { note, left }] of seen.entries()) {
    const flag = there.shift() ?? over.appendChild(newFlag());
    flag.style.left = `${left}px`;
    const toNext = (seen[i + 1]?.left ?? width) - left - 4;
    const toLast = left - (seen[i - 1]?.left ?? 0) - mostRoom;
    // At the right edge a text has its room on the left.
    const isLeft = i === seen.length - 1 && toNext < leastRoom && toLast > toNext;
    const room = Math.min(mostRoom, isLeft ? toLast : toNext);
    flag.classList.toggle('left', isLeft);
    setText(flag, hasTexts && room >= signRoom ? note : undefined, room);
  }
  for (const flag of there) flag.remove();
}

function newFlag(): HTMLElement {
  const flag = document.createElement('i');
  flag.className = 'note-flag';
  return flag;
}

/** The note that a text is of. */
const noteOf = new WeakMap<Element, Note>();

/** Gives a flag the text of a note; undefined: it has none. */
function setText(flag: HTMLElement, note: Note | undefined, room: number): void {
  if (note === undefined) {
    flag.replaceChildren();
    return;
  }
  const text = (flag.firstElementChild as HTMLElement | null) ?? flag.appendChild(newText());
  noteOf.set(text, note);
  const shown = room < leastRoom ? '✎' : `✎ ${note.text}`;
  if (text.textContent !== shown) text.textContent = shown;
  text.title = note.text;
  text.style.maxWidth = `${room}px`;
}

function newText(): HTMLElement {
  const text = document.createElement('span');
  // It is no place of the plot.
  text.addEventListener('mousedown', (event) => event.stopPropagation());
  text.addEventListener('click', (event) => {
    event.stopPropagation();
    openNote.value = noteOf.get(text);
  });
  return text;
}
