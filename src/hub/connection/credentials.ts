import type { IncomingMessage } from 'node:http';
import type { Admission, Admit } from '../../auth/admit.ts';
import type { Credentials } from './held-credentials.ts';

/**
 * Who asks: by the Authorization header, or by `access_token` in the query, where browsers cannot set headers. Fails as
 * `Admit` does. What the token must allow is a matter of each call.
 */
export type ReadCredentials = (
  request: IncomingMessage,
  query: ReadonlyMap<string, string>,
) => Credentials | Promise<Credentials>;

const hub = { path: '/hub', scope: 'any', openToShares: true } as const;

export function credentialsReader(admit: Admit): ReadCredentials {
  return ({ headers }, query) => {
    const token = query.get('access_token');
    const authorization = headers.authorization ?? (token === undefined ? undefined : `Bearer ${token}`);
    const shown = { authorization, host: headers.host };
    const credentialsOf = ({ principal }: Admission): Credentials => ({
      principal,
      check: () => admit(hub, shown),
    });
    const admission = admit(hub, shown);
    return admission instanceof Promise ? admission.then(credentialsOf) : credentialsOf(admission);
  };
}
