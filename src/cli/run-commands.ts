import { readFileSync } from 'node:fs';
import { ConfigError } from '../config.ts';
import { withoutLogins } from '../domain/login.ts';
import { type Command, CommandError, UsageError } from './command.ts';
import { plainLines } from './plain-lines.ts';
import { print } from './standard-output.ts';

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
    if (error instanceof ConfigError) {
      console.error(`pitwall: ${plainLines(error.message)}`);
      return 2;
    }
    if (error instanceof UsageError) {
      console.error(`pitwall: ${shown(error)}`);
      return 2;
    }
    if (error instanceof CommandError) {
      console.error(`pitwall: ${shown(error)}`);
      return 1;
    }
    throw error;
  }
}

/** What was typed at a wrong place may be an address with a password. */
function shown({ message }: Error): string {
  return plainLines(withoutLogins(message));
}

async function dispatch(commands: readonly Command[], argv: readonly string[]): Promise<number> {
  const [word, ...rest] = argv;
  if (word === '--version' || word === '-v') {
    refuseMore(rest);
    await print(version());
    return 0;
  }
  if (word === 'help' || word === '--help' || word === '-h') {
    refuseMore(rest.slice(1));
    await print(rest[0] === undefined ? overview(commands) : commandNamed(commands, rest[0]).help());
    return 0;
  }
  if (word === undefined || word.startsWith('-')) return runCommand(commandNamed(commands, 'serve'), argv);
  return runCommand(commandNamed(commands, word), rest);
}

function refuseMore([word]: readonly string[]): void {
  if (word !== undefined) throw new UsageError(`there is a word too many: '${word}'`);
}

async function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  if (!argv.includes('--help') && !argv.includes('-h')) return command.run(argv);
  await print(command.help());
  return 0;
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
