// Answers questions about folders in a process of its own, which a fault may end.

import { verifyStore } from '../../../../src/store/embedded/verify.ts';
import { whatIsSaid } from './fault-answers.ts';

/** What `verify` says of a folder, and then what a service does. */
async function look(dataDir: string) {
  const damages: string[] = [];
  try {
    for await (const { file, from, to, what } of verifyStore(dataDir))
      damages.push(`${file}: bytes ${from} to ${to}: ${what}`);
  } catch (error) {
    damages.push((error as Error).message);
  }
  return { damages, said: await whatIsSaid(dataDir) };
}

process.on('message', (dataDir: string) => {
  look(dataDir).then(
    (result) => process.send!(result),
    (error: unknown) => {
      process.stderr.write(`${(error as Error).stack}\n`);
      process.exit(1);
    },
  );
});
