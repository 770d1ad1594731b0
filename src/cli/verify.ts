import { type Command, CommandError, readArguments, UsageError } from './command.ts';
import { print } from './standard-output.ts';

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'read a data folder whole and report damage',
  help: () => `pitwall verify DIR

Reads every file of a data folder that no process uses, checks every checksum, and names each damaged place by
file and bytes. Changes nothing. Exit code 0 if all is well, 1 if there is damage.`,

  async run(argv) {
    const { positionals } = readArguments(argv, {});
    const [folder, ...rest] = positionals;
    if (!folder || rest.length > 0) throw new UsageError('one folder, please: pitwall verify DIR');
    const { verifyStore } = await import('../store/embedded/verify.ts');
    let damaged = 0;
    try {
      for await (const { file, from, to, what } of verifyStore(folder)) {
        damaged++;
        await print(`${file}: bytes ${from} to ${to}: ${what}`);
      }
    } catch (error) {
      throw new CommandError(`${folder} cannot be verified: ${(error as Error).message}`);
    }
    await print(damaged === 0 ? `${folder} is whole` : `${folder} is damaged in ${damaged} place(s)`);
    return damaged === 0 ? 0 : 1;
  },
};
