import { CommandError } from './command.ts';
import { plainLine } from './plain-lines.ts';

/**
 * Makes the error for an answer with a success that is not the service's: of a web server, a proxy's page for signing
 * in.
 */
export function notPitwall(place: string, text: string): CommandError {
  return new CommandError(`what answers at ${place} is not Pitwall: it says ${excerpt(text) || 'nothing'}`);
}

export function unreachable(place: string, error: unknown): CommandError {
  return new CommandError(`the service at ${place} cannot be reached: ${reason(error)}`);
}

export function brokeOff(place: string, error: unknown): CommandError {
  return new CommandError(`the answer of the service at ${place} broke off: ${reason(error)}`);
}

/** A problem as one line: `401 A valid token is needed: there is no Authorization header`. */
export function refusal(status: number, text: string): CommandError {
  try {
    const { title, detail, code } = JSON.parse(text) as { title?: string; detail?: string; code?: string };
    const head = `${status} ${title ?? ''}`.trim();
    return new CommandError(detail === undefined || detail === title ? head : `${head}: ${detail}`, code);
  } catch {
    return new CommandError(`${status} ${excerpt(text)}`.trim());
  }
}

const excerptCharacters = 200;

/** The beginning of what others have written, in one line. */
function excerpt(text: string): string {
  return plainLine(text.slice(0, excerptCharacters)).trim();
}

/** System errors of several addresses come as an AggregateError without a message of its own. */
function reason(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
