import type { IncomingMessage } from 'node:http';
import type { Authenticate } from '../auth/authenticate.ts';
import { PitwallError } from '../errors.ts';
import type { WorkspaceOfHost } from '../workspaces/host-pattern.ts';
import type { Credentials } from './connection.ts';

/**
 * Who asks: by the Authorization header, or by `access_token` in the query, where browsers cannot set headers.
 * Throws `unauthorized` (401), and `forbidden` (403) for a token of another workspace than the address.
 */
export type ReadCredentials = (request: IncomingMessage, query: ReadonlyMap<string, string>) => Credentials;

export function credentialsReader(
  authenticate: Authenticate,
  workspaceOfHost: WorkspaceOfHost,
): ReadCredentials {
  return ({ headers }, query) => {
    const token = query.get('access_token');
    const header = headers.authorization ?? (token === undefined ? undefined : `Bearer ${token}`);
    const principal = authenticate(header);
    const addressed = workspaceOfHost(headers.host);
    if (addressed !== undefined && addressed !== principal.workspace) {
      throw new PitwallError('forbidden', {
        detail: `the token does not belong to the workspace '${addressed}'`,
      });
    }
    return {
      principal,
      check() {
        authenticate(header);
      },
    };
  };
}
