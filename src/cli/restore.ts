import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { type Command, CommandError, interruption, readArguments, UsageError } from './command.ts';
import { createProgress } from './progress.ts';
import { print } from './standard-output.ts';

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'make a data folder of a backup',
  help: () => `pitwall restore FILE.tar --data-dir DIR

Makes the data folder of a service of a file that pitwall backup wrote, and checks every byte of it. DIR must be new
or empty. If the file is not whole or was altered, nothing is left in DIR. - is standard input.

  --data-dir DIR   the folder to make`,

  async run(argv) {
    const { values, positionals } = readArguments(argv, { 'data-dir': { type: 'string' } });
    const [file, ...rest] = positionals;
    const folder = values['data-dir'];
    if (!file || rest.length > 0) {
      throw new UsageError('one file, please: pitwall restore FILE.tar --data-dir DIR');
    }
    if (!folder) throw new UsageError('restore needs --data-dir');
    const { restoreBackup } = await import('../store/embedded/restore.ts');
    try {
      const { createdAt, parts, segments, bytes } = await restoreBackup(
        await readFile(file, interruption()),
        folder,
      );
      await print(
        `${folder} holds the backup of ${createdAt}: ${parts} parts and ${segments} segments of the log, ${bytes} bytes`,
      );
      return 0;
    } catch (error) {
      const { message, cause } = error as Error;
      throw new CommandError(
        `${file === '-' ? 'the standard input' : file} was not restored: ${cause instanceof Error ? cause.message : message}`,
      );
    }
  },
};

/** The bytes of one read: enough to keep a disk busy. */
const readBytes = 1 << 20;

/** The file's bytes; how many were read is shown as they are taken. */
async function readFile(file: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return addAbortSignal(signal, process.stdin);
  const { size } = await stat(file);
  return counted(addAbortSignal(signal, createReadStream(file, { highWaterMark: readBytes })), size);
}

async function* counted(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Uint8Array> {
  const progress = createProgress(process.stderr);
  let done = 0;
  try {
    for await (const chunk of chunks) {
      yield chunk;
      done += chunk.length;
      progress.at(done / size, `${done} of ${size} bytes`);
    }
  } finally {
    progress.end();
  }
}
