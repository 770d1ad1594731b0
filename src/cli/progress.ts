import type { WriteStream } from 'node:tty';

/** Tells how far a long command is: a bar on a terminal, else a plain line for every tenth. */
export interface Progress {
  /** `part` is from 0 to 1. */
  at(part: number, what: string): void;
  /** Clears the bar. */
  end(): void;
}

const width = 30;

export function createProgress(out: Pick<WriteStream, 'write'> & { readonly isTTY?: boolean }): Progress {
  let tenths = 0;
  let shown = '';
  return {
    at(part, what) {
      const clamped = Math.min(1, Math.max(0, part));
      const percent = `${Math.floor(clamped * 100)} %`.padStart(5);
      if (out.isTTY === true) {
        const filled = Math.round(clamped * width);
        const line = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${percent} ${what}`;
        if (line !== shown) out.write(`\r${line.padEnd(shown.length)}`);
        shown = line;
      } else if (Math.floor(clamped * 10) > tenths) {
        tenths = Math.floor(clamped * 10);
        out.write(`${percent.trim()} ${what}\n`);
      }
    },
    end() {
      if (shown !== '') out.write(`\r${' '.repeat(shown.length)}\r`);
      shown = '';
    },
  };
}
