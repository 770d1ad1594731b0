import { type Config, ConfigError } from '../config.ts';
import { defaultWorkspace } from '../domain/principal.ts';
import type { Log } from '../log.ts';
import {
  formatVersion,
  leastOperatorToken,
  operatorTokenLength,
  writeFormat,
} from '../store/embedded/files/directory.ts';
import type { Store } from '../store/store.ts';

/**
 * The operator's token is a setting and is stored nowhere, so the store is asked whether a short one can have been in use
 * with it before:
 *
 * - A data folder that this version made takes none. Nor does one of an earlier version, or of a restore, from the first
 *   start on that came without a short token: the folder remembers it (`operatorToken` in FORMAT).
 * - A database of ClickHouse takes none while it holds no token, no topic and no further workspace.
 *
 * Elsewhere a short token is taken, with a warning, so that an upgrade locks nobody out. Throws a ConfigError.
 */
export async function checkOperatorToken(
  { token, store: url, dataDir }: Pick<Config, 'token' | 'store' | 'dataDir'>,
  { catalog }: Pick<Store, 'catalog'>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const isLong = token === undefined || token.length >= leastOperatorToken;
  if (url !== undefined) {
    if (isLong) return;
    if (await isUnused(catalog)) throw tooShort();
  } else {
    const asked = await operatorTokenLength(dataDir);
    if (isLong) {
      if (asked === undefined) await remember(dataDir);
      return;
    }
    if (asked !== undefined) throw tooShort();
  }
  log.warn(
    {},
    `PITWALL_TOKEN has fewer than ${leastOperatorToken} characters and can be guessed: set a longer one`,
  );
}

/** A disk that is full must not keep the service from starting: the next start remembers it. */
async function remember(dataDir: string): Promise<void> {
  await writeFormat(dataDir, formatVersion, leastOperatorToken).catch(() => undefined);
}

async function isUnused(catalog: Store['catalog']): Promise<boolean> {
  await catalog.refresh();
  if (catalog.tokens().length > 0 || catalog.workspaces().length > 1) return false;
  return (await catalog.topics(defaultWorkspace)).length === 0;
}

function tooShort(): ConfigError {
  return new ConfigError(
    `PITWALL_TOKEN must have at least ${leastOperatorToken} characters; 'openssl rand -hex 32' makes a good one`,
  );
}
