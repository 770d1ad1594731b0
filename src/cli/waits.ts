import { RequestError } from '../client/request-error.ts';
import { unreachable } from './answer-errors.ts';
import { plainLine } from './plain-lines.ts';

/** Tells on standard error what a command waits for, once for each cause. */
export class Waits {
  private told: string | undefined = undefined;

  /** @param why in one line */
  for(why: string): void {
    if (why === this.told) return;
    this.told = why;
    sayBeside(`waiting, to ask again: ${plainLine(why)}`);
  }

  /** The same of what the client library repeats. */
  forError(place: string, error: unknown): void {
    if (error instanceof RequestError) this.for(refusalText(error));
    else this.for(unreachable(place, (error as Error).cause ?? error).message);
  }
}

/** `503 The disk is full: …` */
export function refusalText({ status, message }: RequestError): string {
  return status < 300 ? message : `${status} ${message}`;
}

/** A line of its own on standard error, where a bar of progress may stand. */
export function sayBeside(line: string): void {
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${line}\n`);
}
