import { readFileSync } from 'node:fs';
import { ConfigError } from '../config.ts';
import { type Command, CommandError, UsageError } from './command.ts';

/** Runs the one of these commands that the command line names. The exit code: 0 done, 1 failed, 2 asked wrongly. */
export function runCommands(commands: readonly Command[]): void {
  // What any command writes is for its user alone: data, backups, exports.
  process.umask(0o077);
  main(commands, process.argv.slice(2)).then((code) => {
    process.exitCode = code;
  });
}

async function main(commands: readonly Command[], argv: readonly string[]): Promise<number> {
  try {
    return await dispatch(commands, argv);
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError) {
      console.error(`pitwall: ${error.message}`);
      return 2;
    }
    if (error instanceof CommandError) {
      console.error(`pitwall: ${error.message}`);
      return 1;
    }
    throw error;
  }
}

async function dispatch(commands: readonly Command[], argv: readonly string[]): Promise<number> {
  const [word, ...rest] = argv;
  if (word === '--version' || word === '-v') {
    console.log(version());
    return 0;
  }
  if (word === 'help' || word === '--help' || word === '-h') {
    console.log(rest[0] === undefined ? overview(commands) : commandNamed(commands, rest[0]).help());
    return 0;
  }
  if (word === undefined || word.startsWith('-')) return runCommand(commandNamed(commands, 'serve'), argv);
  return runCommand(commandNamed(commands, word), rest);
}

function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  if (command.name !== 'serve') failWithoutOutput();
  if (!argv.includes('--help') && !argv.includes('-h')) return command.run(argv);
  console.log(command.help());
  return Promise.resolve(0);
}

/** A command whose output is lost has failed, though nobody hears of it from `console.log`. Who reads no further wants no more. */
function failWithoutOutput(): void {
  process.stdout.once('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.once('exit', () => {
      if (process.exitCode !== 0) return;
      console.error(`pitwall: the output was not written: ${message}`);
      process.exitCode = 1;
    });
  });
}

function commandNamed(commands: readonly Command[], word: string): Command {
  const command = commands.find(({ name }) => name === word);
  if (command === undefined) throw new UsageError(`there is no command '${word}'; see pitwall help`);
  return command;
}

function overview(commands: readonly Command[]): string {
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`);
  return `Pitwall ${version()}: a telemetry service

pitwall [COMMAND] [OPTIONS]

${list.join('\n')}
  help       what a command does and takes: pitwall help COMMAND

Without a command it serves.`;
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
