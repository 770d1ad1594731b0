import type { TokenAdmin } from '../../auth/token-admin.ts';
import type { TokenRecord } from '../../domain/principal.ts';
import { isoFromMillis } from '../../domain/timestamp.ts';
import { settingsLimits } from '../../wire/json/json-memory.ts';
import { decodeTokenRequest } from '../../wire/requests/admin-request.ts';
import { done, json, type Route } from '../route.ts';
import { createdToken, tokenList, tokenRequest } from '../schemas/service.ts';

export function listTokens(tokens: TokenAdmin): Route {
  return {
    method: 'GET',
    path: '/admin/tokens',
    interface: 'admin',
    scope: 'admin',
    summary: 'List the tokens of the workspace; all tokens for an admin of the default workspace',
    response: tokenList,
    handle: async ({ principal }) => json((await tokens.list(principal)).map(shown)),
  };
}

export function createToken(tokens: TokenAdmin): Route {
  return {
    method: 'POST',
    path: '/admin/tokens',
    interface: 'admin',
    scope: 'admin',
    summary: 'Make a token; the answer shows it this once',
    body: { schema: tokenRequest, optional: false, limits: settingsLimits },
    response: createdToken,
    async handle({ principal, body, reservation }) {
      const { token, record } = await tokens.create(principal, decodeTokenRequest(body, reservation));
      return json({ token, ...shown(record) });
    },
  };
}

export function revokeToken(tokens: TokenAdmin): Route {
  return {
    method: 'DELETE',
    path: '/admin/tokens/:id',
    interface: 'admin',
    scope: 'admin',
    mayBeMissing: true,
    summary: 'Revoke a token',
    async handle({ principal, params }) {
      await tokens.revoke(principal, params['id']!);
      return done;
    },
  };
}

/** A token as it is shown: neither the token nor its hash. */
function shown({ id, workspace, scopes, name, createdAt, expires }: TokenRecord) {
  return {
    id,
    workspace,
    scopes,
    name,
    createdAt: isoFromMillis(createdAt),
    expires: expires === undefined ? undefined : isoFromMillis(expires),
  };
}
