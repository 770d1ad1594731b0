import { defaultWorkspace, hasScope, type Principal, type Scope } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { ServiceRegistry } from '../store/store.ts';
import { rememberedHeaders, unauthorized } from './remembered-headers.ts';
import { findShare, operatorTokenId, type ShareCatalog, sharePrincipal } from './shares.ts';
import { hashToken } from './token.ts';

/**
 * Turns the value of an Authorization header into who asks, or throws `unauthorized` (401). At once where the token is
 * known; a promise, which rejects so, where the store has to look whether another node has made it.
 */
export type Authenticate = (header: string | undefined) => Principal | Promise<Principal>;

export interface AuthenticateOptions {
  readonly catalog: Pick<ServiceRegistry, 'workspace' | 'refresh'> & ShareCatalog;
  /** The operator's own admin token for the default workspace, which is never stored. */
  readonly operatorToken: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export function createAuthenticate({ catalog, operatorToken, now }: AuthenticateOptions): Authenticate {
  const headers = rememberedHeaders(operatorToken);
  const operatorHash = operatorToken === undefined ? undefined : hashToken(operatorToken);

  /** Its workspace is looked up with the token: whoever is let in finds it there, or it is gone. */
  const isKnown = (hash: string): boolean => {
    const record = catalog.tokenByHash(hash);
    if (record === undefined) return findShare(catalog, hash) !== undefined;
    return catalog.workspace(record.workspace) !== undefined;
  };

  const principalOf = (hash: string): Principal => {
    const record = catalog.tokenByHash(hash);
    if (record === undefined) {
      const share = findShare(catalog, hash);
      if (share !== undefined) return sharePrincipal(catalog, share, operatorHash, now());
      throw unauthorized('this token is not known; it may have been revoked');
    }
    if (record.expires !== undefined && record.expires <= now()) {
      throw unauthorized(`this token expired at ${new Date(record.expires).toISOString()}`);
    }
    const { id: tokenId, workspace, scopes, expires } = record;
    return expires === undefined ? { tokenId, workspace, scopes } : { tokenId, workspace, scopes, expires };
  };

  return (header) => {
    const shown = headers.read(header);
    const { hash, isOperators } = shown;
    if (isOperators) {
      headers.remember(header, shown);
      return operator;
    }
    const enter = (): Principal => {
      const principal = principalOf(hash);
      headers.remember(header, shown);
      return principal;
    };
    const refreshed = isKnown(hash) ? undefined : catalog.refresh();
    return refreshed === undefined ? enter() : refreshed.then(enter);
  };
}

/** Throws `forbidden` (403) unless the token has the scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (hasScope(principal, scope)) return;
  throw new PitwallError('forbidden', {
    detail: `this needs the scope ${scope}; the token has ${principal.scopes.join(', ') || 'none'}`,
  });
}

/** Whether this is an admin of the default workspace, who alone reaches what is of all workspaces. */
export function isOperator(principal: Principal): boolean {
  return principal.workspace === defaultWorkspace && hasScope(principal, 'admin');
}

/** Throws `forbidden` (403) for anyone but an admin of the default workspace; `what` begins the sentence that says so. */
export function requireOperator(principal: Principal, what: string): void {
  if (principal.workspace === defaultWorkspace) return;
  throw new PitwallError('forbidden', {
    detail: `${what} for admins of the workspace '${defaultWorkspace}'`,
  });
}

const operator: Principal = { tokenId: operatorTokenId, workspace: defaultWorkspace, scopes: ['admin'] };
