import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Position } from './position.ts';

/** A message that a node has applied, as others may compare it with theirs. */
export interface Applied {
  readonly sequence: number;
  readonly mark: number;
  /** The time that the log gave it, ms since the Unix epoch. */
  readonly at: number;
  /** Whether it made a group whole that changes data: leases do not. */
  readonly isWrite: boolean;
}

/**
 * What a node has applied last, without the records, for its start after a kill. The file has the identity of the log in its first line,
 * then the JSON of `[sequence, mark, at, isWrite]` for each message. It is not synced: a power cut may take the end of it.
 */
export interface KeptMarks {
  /** What is known up to the position of the start; nothing where the file does not have that. */
  readonly found: readonly Applied[];
  add(message: Applied): void;
  /** Leaves these alone in the file. */
  replace(messages: readonly Applied[]): void;
}

const fileName = 'replica-tail';

/** @param folder the data folder */
export function keptMarks(folder: string, { log, sequence, mark }: Position): KeptMarks {
  const path = join(folder, fileName);
  const kept = read(path, log);
  const found = kept.slice(0, kept.findIndex((one) => one.sequence === sequence && one.mark === mark) + 1);
  let file: number | undefined;
  const attempt = (write: () => void): void => {
    try {
      write();
    } catch {
      // A full disk: the next start knows its position alone, which the file does not have.
      if (file !== undefined) closeSync(file);
      file = undefined;
    }
  };
  const marks: KeptMarks = {
    found,
    add: (message) => attempt(() => void (file !== undefined && writeSync(file, lineOf(message)))),
    replace: (messages) =>
      attempt(() => {
        writeFileSync(`${path}.new`, [`${log}\n`, ...messages.map(lineOf)].join(''), { mode: 0o600 });
        renameSync(`${path}.new`, path);
        if (file !== undefined) closeSync(file);
        file = openSync(path, 'a');
      }),
  };
  return marks;
}

function lineOf({ sequence, mark, at, isWrite }: Applied): string {
  return `${JSON.stringify([sequence, mark, at, isWrite])}\n`;
}

/** As far as the file is whole, and of this log. */
function read(path: string, log: string): Applied[] {
  const messages: Applied[] = [];
  try {
    const [first, ...lines] = readFileSync(path, 'utf8').split('\n');
    if (first !== log) return [];
    for (const line of lines) {
      const [sequence, mark, at, isWrite] = JSON.parse(line) as [number, number, number, boolean];
      messages.push({ sequence, mark, at, isWrite });
    }
  } catch {
    // There is none, or its end.
  }
  return messages;
}
