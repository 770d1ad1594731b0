import type { WriteStream } from 'node:tty';

/** Tells how far a long command is: a bar on a terminal, else a plain line for every tenth. */
export interface Progress {
  /** `part` is from 0 to 1. */
  at(part: number, what: string): void;
  /** Where nobody knows how much there is: lines where it has doubled since the last one. */
  soFar(amount: number, what: string): void;
  /** Told each time. */
  say(what: string): void;
  /** Clears the bar. */
  end(): void;
}

const width = 30;

export function createProgress(out: Pick<WriteStream, 'write'> & { readonly isTTY?: boolean }): Progress {
  let tenths = 0;
  let shown = '';
  let told = 0;
  const show = (line: string): void => {
    if (line !== shown) out.write(`\r${line.padEnd(shown.length)}`);
    shown = line;
  };
  return {
    soFar(amount, what) {
      if (out.isTTY === true) {
        show(what);
      } else if (amount >= 2 * told && amount > 0) {
        told = amount;
        out.write(`${what}\n`);
      }
    },
    say(what) {
      if (out.isTTY === true) show(what);
      else out.write(`${what}\n`);
    },
    at(part, what) {
      const clamped = Math.min(1, Math.max(0, part));
      const percent = `${Math.floor(clamped * 100)} %`.padStart(5);
      if (out.isTTY === true) {
        const filled = Math.round(clamped * width);
        show(`[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${percent} ${what}`);
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
