import { createWriteStream, fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { CommandError } from './command.ts';

const fd = 1;

/**
 * Where a command writes what it was asked for. Node's own stream takes a file that is full for one that was written: of a write that
 * found some room it gives the rest up.
 */
export function standardOutput(): Writable {
  const isWaitedFor = isatty(fd) || fstatSync(fd).isFIFO() || fstatSync(fd).isSocket();
  return isWaitedFor ? process.stdout : createWriteStream('', { fd, autoClose: false });
}

/** Writes a text and a line break. Throws a CommandError where they could not be written; a reader that has left wants no more. */
export async function print(text: string): Promise<void> {
  const output = standardOutput();
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    const done = (failure?: Error | null): void => resolve(failure);
    // Without a listener it would end the process; it comes after the call.
    output.on('error', done);
    output.write(`${text}\n`, (failure) => {
      if (!failure) output.off('error', done);
      done(failure);
    });
  });
  if (error && error.code !== 'EPIPE')
    throw new CommandError(`what it says could not be written to the standard output: ${error.message}`);
}
