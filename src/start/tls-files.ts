import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Config, ConfigError } from '../config.ts';
import { readTls, type TlsBytes } from '../http/front.ts';
import type { Log } from '../log.ts';

/** Reads the certificate and its key once, so that wrong ones stop the start before anything is opened, with a ConfigError. */
export function checkTlsFiles({
  tlsCert,
  tlsKey,
}: Pick<Config, 'tlsCert' | 'tlsKey'>): { readonly cert: string; readonly key: string } | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const cert = checked(`--tls-cert: the file ${tlsCert}`, () => readFileSync(tlsCert));
  checked(`--tls-cert: the file ${tlsCert}`, () => createSecureContext({ cert }));
  const key = checked(`--tls-key: the file ${tlsKey}`, () => readFileSync(tlsKey));
  checked(`--tls-key: the file ${tlsKey}`, () => createSecureContext({ cert, key }));
  return { cert: tlsCert, key: tlsKey };
}

/** Reads the files again for all that use them. Where they cannot be used all keep the ones before, and the log says so. */
export function reloadTls(
  files: { readonly cert: string; readonly key: string },
  log: Pick<Log, 'info' | 'error'>,
  users: readonly { reloadTls(tls: TlsBytes): void }[],
): void {
  try {
    const tls = readTls(files);
    createSecureContext(tls);
    for (const user of users) user.reloadTls(tls);
    log.info('read the TLS files again');
  } catch (error) {
    log.error({ err: error }, 'the TLS files cannot be used; the ones before stay in use');
  }
}

function checked<Result>(what: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    throw new ConfigError(`${what} cannot be used: ${(error as Error).message}`);
  }
}
