import { addAbortSignal, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeAtomically } from './atomic-write.ts';
import { backupBytes } from './backup-bytes.ts';
import { clientHelp, clientOptions, createClient } from './client.ts';
import { type Command, failure, interruption, readArguments, UsageError } from './command.ts';
import { createProgress } from './progress.ts';
import { standardOutput } from './standard-output.ts';

export const backupCommand: Command = {
  name: 'backup',
  summary: 'save a running service into a file',
  help: () => `pitwall backup FILE.tar

Saves one consistent state of all workspaces of a running service, while writes go on: everything that was
acknowledged before is in it. FILE.tar is written under another name beside it and gets its own when it is whole;
- is standard output. pitwall restore makes a data folder of it. Needs an admin token of the default workspace.

${clientHelp}`,

  async run(argv) {
    const { values, positionals } = readArguments(argv, clientOptions);
    const [file, ...rest] = positionals;
    if (!file || rest.length > 0) {
      throw new UsageError('one file, please: pitwall backup FILE.tar');
    }
    const client = createClient(values, process.env);
    try {
      const answer = await client.open('POST', '/admin/backup', undefined, 'application/x-tar');
      // Until here nothing is half made, so Ctrl-C may simply end the command.
      const signal = interruption();
      addAbortSignal(signal, answer);
      const length = answer.headers['content-length'];
      const bytes = length === undefined ? undefined : Number(length);
      const save = (into: Writable) =>
        pipeline(backupBytes(answer, client.place), counting(bytes), into, { signal });
      await (file === '-' ? save(standardOutput()) : writeAtomically(file, save)).catch((error) => {
        throw failure('the backup failed', error, signal);
      });
      console.error(`${file === '-' ? 'the backup' : file} is whole`);
      return 0;
    } finally {
      client.close();
    }
  },
};

/** Passes all bytes on and shows how many there were; fails where they are fewer than were announced. */
function counting(bytes: number | undefined): Transform {
  const progress = createProgress(process.stderr);
  let done = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      done += chunk.length;
      if (bytes !== undefined) progress.at(done / bytes, `${done} of ${bytes} bytes`);
      next(null, chunk);
    },
    final(next) {
      progress.end();
      const isWhole = bytes === undefined || done === bytes;
      next(isWhole ? null : new Error(`the service sent ${done} of ${bytes} bytes`));
    },
  });
}
