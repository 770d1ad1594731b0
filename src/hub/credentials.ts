import type { IncomingMessage } from 'node:http';
import type { Authenticate } from '../auth/authenticate.ts';
import type { Principal } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { Answer } from '../store/store.ts';
import type { WorkspaceOfHost } from '../workspaces/host-pattern.ts';
import type { Credentials } from './held-credentials.ts';

/**
 * Who asks: by the Authorization header, or by `access_token` in the query, where browsers cannot set headers.
 * Throws `unauthorized` (401), and `forbidden` (403) for a token of another workspace than the address; a promise,
 * which rejects so, where the token has to be looked up first.
 */
export type ReadCredentials = (
  request: IncomingMessage,
  query: ReadonlyMap<string, string>,
) => Answer<Credentials>;

export function credentialsReader(
  authenticate: Authenticate,
  workspaceOfHost: WorkspaceOfHost,
): ReadCredentials {
  return ({ headers }, query) => {
    const token = query.get('access_token');
    const header = headers.authorization ?? (token === undefined ? undefined : `Bearer ${token}`);
    const credentialsOf = (principal: Principal): Credentials => {
      const addressed = workspaceOfHost(headers.host);
      if (addressed !== undefined && addressed !== principal.workspace) {
        throw new PitwallError('forbidden', {
          detail: `the token does not belong to the workspace '${addressed}'`,
        });
      }
      return { principal, check: () => authenticate(header) };
    };
    const principal = authenticate(header);
    return principal instanceof Promise ? principal.then(credentialsOf) : credentialsOf(principal);
  };
}
