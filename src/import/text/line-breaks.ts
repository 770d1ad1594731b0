/** Whatever ends a line: LF, CR LF, or CR alone, as old Macs wrote it. */
const lineBreak = /\r\n|\r|\n/;

/** The lines of a text. */
export function linesOf(text: string): string[] {
  return text.split(lineBreak);
}

/** Counts the line breaks of a text that comes in pieces. */
export interface LineBreaks {
  see(text: string): void;
  count(): number;
}

export function lineBreaks(): LineBreaks {
  let count = 0;
  let isBehindReturn = false;
  return {
    see(text) {
      if (text === '') return;
      count += countOf(text, '\n');
      // A carriage return counts where no line feed follows.
      if (isBehindReturn && text[0] !== '\n') count++;
      for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) {
        if (at + 1 < text.length && text[at + 1] !== '\n') count++;
      }
      isBehindReturn = text.endsWith('\r');
    },

    count: () => count + (isBehindReturn ? 1 : 0),
  };
}

function countOf(text: string, letter: string): number {
  let count = 0;
  for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) count++;
  return count;
}
