import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Config, ConfigError } from '../config.ts';

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

function checked<Result>(what: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    throw new ConfigError(`${what} cannot be used: ${(error as Error).message}`);
  }
}
