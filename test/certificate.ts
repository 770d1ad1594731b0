import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Why certificates cannot be made here; false where they can. */
export const opensslMissing: string | false =
  spawnSync('openssl', ['version']).status !== 0 && 'openssl is not installed, which makes certificates';

/** Makes a certificate of localhost and its address, and the key that it is signed with, as files of a folder. */
export function makeCertificate(folder: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { cert, key };
}
