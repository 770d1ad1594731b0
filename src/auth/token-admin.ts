import type { Principal, TokenRecord } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { CatalogWriter } from '../store/store.ts';
import type { TokenRequest } from '../wire/requests/admin-request.ts';
import { reaches, workspaceNotFound } from '../workspaces/manage.ts';
import { hashToken, makeToken, makeTokenId } from './token.ts';

/** Makes, lists and revokes tokens on behalf of an admin, who reaches the own workspace's only, or all from the default one. */
export interface TokenAdmin {
  list(principal: Principal): Promise<TokenRecord[]>;
  /**
   * Answers the token itself, this once. Without a workspace it is the caller's own. No token outlives the one that made
   * it: without an end it has that one's, with a later one it is `forbidden` (403).
   */
  create(principal: Principal, request: TokenRequest): Promise<{ token: string; record: TokenRecord }>;
  /** `token_not_found` (404) also for tokens that the caller does not reach. */
  revoke(principal: Principal, id: string): Promise<void>;
}

export function createTokenAdmin(store: CatalogWriter, now: () => number): TokenAdmin {
  return {
    async list(principal) {
      await store.catalog.refresh();
      const reached = store.catalog.tokens().filter(({ workspace }) => reaches(principal, workspace));
      return reached.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    },

    async create(principal, request) {
      const workspace = request.workspace ?? principal.workspace;
      if (!reaches(principal, workspace)) {
        throw new PitwallError('forbidden', {
          detail: `an admin of '${principal.workspace}' makes no tokens for another workspace`,
        });
      }
      if (store.catalog.workspace(workspace) === undefined) await store.catalog.refresh();
      if (store.catalog.workspace(workspace) === undefined) throw workspaceNotFound(workspace);
      if (request.expires !== undefined && request.expires <= now()) {
        throw new PitwallError('invalid_value', { errors: [{ path: 'expires', message: 'is in the past' }] });
      }
      const token = makeToken();
      const record: TokenRecord = {
        ...request,
        ...endOf(principal, request),
        id: makeTokenId(),
        hash: hashToken(token),
        workspace,
        createdAt: now(),
      };
      await store.append({ workspace, changes: [{ type: 'token', token: record }] });
      return { token, record };
    },

    async revoke(principal, id) {
      await store.catalog.refresh();
      const record = store.catalog.tokens().find((token) => token.id === id);
      if (record === undefined || !reaches(principal, record.workspace)) {
        throw new PitwallError('token_not_found', { detail: `there is no token with the id '${id}'` });
      }
      await store.append({ workspace: record.workspace, changes: [{ type: 'revokeToken', id }] });
    },
  };
}

function endOf({ expires: last }: Principal, { expires }: TokenRequest): Pick<TokenRecord, 'expires'> {
  if (last === undefined) return {};
  if (expires !== undefined && expires > last) {
    throw new PitwallError('forbidden', {
      detail: `this token ends at ${new Date(last).toISOString()}, and makes none that ends later`,
    });
  }
  return { expires: expires ?? last };
}
