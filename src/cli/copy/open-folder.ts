import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config.ts';
import { createLog } from '../../log.ts';
import { CommandError } from '../command.ts';

/** A service on a folder that no other process uses. */
export interface FolderService {
  readonly url: URL;
  readonly token: string;
  stop(): Promise<void>;
}

/** Serves a data folder on the loopback address, for this process alone. Throws a CommandError that names the folder. */
export async function openFolder(folder: string): Promise<FolderService> {
  checkFolder(folder);
  const token = randomBytes(32).toString('hex');
  const config = loadConfig({
    argv: ['--data-dir', folder, '--listen', '127.0.0.1:0', '--log-level', 'warn'],
    env: { PITWALL_TOKEN: token },
  });
  const { startService } = await import('../../main.ts');
  try {
    const { addresses, stop } = await startService(config, createLog(config.logLevel), undefined, {
      isSource: true,
    });
    return { url: new URL(addresses[0]!.url), token, stop };
  } catch (error) {
    throw new CommandError(`the source ${folder} cannot be opened: ${(error as Error).message}`);
  }
}

function checkFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined)
    throw new CommandError(
      `there is no folder ${folder}; --from is a data folder, or an address that begins with http`,
    );
  if (!found.isDirectory())
    throw new CommandError(
      `${folder} is no folder; of a backup make one first: pitwall restore ${folder} --data-dir DIR`,
    );
  if (!existsSync(join(folder, 'FORMAT')) && !existsSync(join(folder, 'catalog')))
    throw new CommandError(`${folder} is no data folder of Pitwall`);
}
