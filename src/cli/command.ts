import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A word after `pitwall`, with what it does. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Everything that `pitwall help NAME` says. */
  readonly help: () => string;
  /** Runs to its end and answers the exit code. Throws a UsageError or a CommandError for what the user can mend. */
  readonly run: (argv: readonly string[]) => Promise<number>;
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}

/** What was asked could not be done: one line, exit code 1. */
export class CommandError extends Error {
  /** The code of the problem that the service answered, where it is one. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Reads options and positional words. Throws a UsageError of one line for what parseArgs refuses. */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  options: Options,
): ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true; strict: true }>> {
  checkWords(argv, options);
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(oneLine((error as Error).message));
  }
}

/** What parseArgs would take, and not as it is meant: a value of a switch, and an option of which only the last value counts. */
function checkWords(argv: readonly string[], options: NonNullable<ParseArgsConfig['options']>): void {
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const given = new Set<string>();
  for (const [i, word] of tokens.entries()) {
    if (word.kind !== 'option') continue;
    const { name, rawName, value } = word;
    const option = options[name];
    if (option === undefined) continue;
    if (option.type === 'boolean') {
      const next = tokens[i + 1];
      const isFollowed = next?.kind === 'positional' && /^(true|false|yes|no|on|off|[01])$/i.test(next.value);
      if (value !== undefined || isFollowed)
        throw new UsageError(`${rawName} takes no value: write it alone, or leave it out`);
    } else if (given.has(name) && option.multiple !== true) {
      throw new UsageError(`${rawName} is given twice`);
    }
    given.add(name);
  }
}

/** What is wrong, and of a value that begins with a dash (`--from -5`) how it is written. */
function oneLine(message: string): string {
  const dashed = /'(--[^'= ]+)=-XYZ'/.exec(message)?.[1];
  if (dashed !== undefined)
    return `${dashed} needs a value; one that begins with a dash is written ${dashed}=-5`;
  return message.split('. ', 1)[0]!;
}

/** The names of all lists, which have commas between names; `\,` is a comma in a name. */
export function splitList(lists: readonly string[] | undefined): string[] {
  return (lists ?? [])
    .flatMap((list) => list.split(/(?<!\\),/))
    .map((name) => name.replaceAll('\\,', ','))
    .filter((name) => name !== '');
}

/**
 * Returns the error that a failed or interrupted command ends with: what an interrupt breaks off fails in words of its
 * own.
 */
export function failure(what: string, error: unknown, { aborted, reason }: AbortSignal): CommandError {
  const first = aborted ? reason : error;
  if (first instanceof CommandError) return first;
  const { message, cause } = first;
  return new CommandError(`${what}: ${cause instanceof Error ? cause.message : message}`);
}

/** Aborts when someone ends the command early, so that it can remove what is half made. A second signal ends the process at once. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort(new Error('interrupted')));
  }
  return controller.signal;
}
