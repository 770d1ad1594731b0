import { cpSync, rmSync } from 'node:fs';

const attempts = 10;

/** Copies the folder of a store that runs, as a kill leaves it: anew where a file of it went meanwhile. */
export function copyAsKilled(from: string, to: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('lock') });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === attempts) throw error;
      rmSync(to, { recursive: true, force: true });
    }
  }
}
