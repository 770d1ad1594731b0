#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { ConfigError } from '../config.ts';
import { backupCommand } from './backup.ts';
import { clockCommand } from './clock.ts';
import { type Command, CommandError, UsageError } from './command.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { queriesCommand } from './queries.ts';
import { replayCommand } from './replay.ts';
import { restoreCommand } from './restore.ts';
import { serveCommand } from './serve.ts';
import { tokenCommand } from './token.ts';
import { verifyCommand } from './verify.ts';
import { workspaceCommand } from './workspace.ts';

const commands: readonly Command[] = [
  serveCommand,
  tokenCommand,
  workspaceCommand,
  importCommand,
  exportCommand,
  replayCommand,
  backupCommand,
  restoreCommand,
  clockCommand,
  queriesCommand,
  verifyCommand,
];

// What any command writes is for its user alone: data, backups, exports.
process.umask(0o077);
process.exitCode = await main(process.argv.slice(2));

/** Runs the command that the words name and answers the exit code: 0 done, 1 failed, 2 asked wrongly. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    return await dispatch(argv);
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

async function dispatch(argv: readonly string[]): Promise<number> {
  const [word, ...rest] = argv;
  if (word === '--version' || word === '-v') {
    console.log(version());
    return 0;
  }
  if (word === 'help' || word === '--help' || word === '-h') {
    console.log(rest[0] === undefined ? overview() : commandNamed(rest[0]).help());
    return 0;
  }
  if (word === undefined || word.startsWith('-')) return runCommand(serveCommand, argv);
  return runCommand(commandNamed(word), rest);
}

function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  if (!argv.includes('--help') && !argv.includes('-h')) return command.run(argv);
  console.log(command.help());
  return Promise.resolve(0);
}

function commandNamed(word: string): Command {
  const command = commands.find(({ name }) => name === word);
  if (command === undefined) throw new UsageError(`there is no command '${word}'; see pitwall help`);
  return command;
}

function overview(): string {
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
