import { createWriteStream, fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { CommandError } from './command.ts';

const fd = 1;

/**
 * Opens the stream to which a command writes what it was asked for. Node's own stream takes a file that is full for one
 * that was written: of a write that found some room it gives the rest up.
 */
export function standardOutput(): Writable {
  const isWaitedFor = isatty(fd) || fstatSync(fd).isFIFO() || fstatSync(fd).isSocket();
  return isWaitedFor ? process.stdout : createWriteStream('', { fd, autoClose: false });
}

/** Writes a text and a line break. Throws a CommandError where they could not be written; a reader that has left wants no more. */
export async function print(text: string): Promise<void> {
  const error = await written(text);
  if (error && error.code !== 'EPIPE') throw notWritten(error);
}

/** Writes what is said only once, so that nobody may be told is a failure too. Throws a CommandError. */
export async function printOnce(text: string): Promise<void> {
  if (isThrownAway()) throw new CommandError('the standard output is closed, or thrown away');
  const error = await written(text);
  if (error) throw notWritten(error);
}

function notWritten({ message }: Error): CommandError {
  return new CommandError(`what it says could not be written to the standard output: ${message}`);
}

/** Of an output that is closed Node opens the null device in its place. */
function isThrownAway(): boolean {
  const output = fstatSync(fd);
  return output.isCharacterDevice() && output.rdev === statSync(devNull).rdev;
}

function written(text: string): Promise<NodeJS.ErrnoException | null | undefined> {
  const output = standardOutput();
  return new Promise((resolve) => {
    const done = (failure?: Error | null): void => resolve(failure);
    // Without a listener it would end the process; it comes after the call.
    output.on('error', done);
    output.write(`${text}\n`, (failure) => {
      if (!failure) output.off('error', done);
      done(failure);
    });
  });
}
