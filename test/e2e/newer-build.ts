import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { temporaryFolder } from './service.ts';

/** A build as of a later release, whose records have the next version: its command, which serves. It goes away with the tests of the file. */
export function newerBuild(): string {
  const folder = temporaryFolder();
  const dist = join(root, 'dist');
  // The bundle is made of the modules, and would go before them.
  cpSync(dist, join(folder, 'dist'), { recursive: true, filter: (path) => path !== join(dist, 'bundle') });
  for (const name of ['package.json', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
  const records = join(folder, 'dist/replicas/record.js');
  const source = readFileSync(records, 'utf8');
  const newer = source.replace('recordVersion = 1;', 'recordVersion = 2;');
  if (newer === source) throw new Error('the version of records was not found');
  writeFileSync(records, newer);
  const command = join(folder, 'dist/cli/pitwall.js');
  writeFileSync(
    command,
    `import { runCommands } from './run-commands.js';
import { serveCommand } from './serve.js';
runCommands([serveCommand]);
`,
  );
  return command;
}
