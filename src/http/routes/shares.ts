import type { ShareAdmin } from '../../auth/share-admin.ts';
import type { ShareRecord } from '../../domain/share.ts';
import { isoFromMillis } from '../../domain/timestamp.ts';
import { settingsLimits } from '../../wire/json/json-memory.ts';
import { decodeShareRequest } from '../../wire/requests/view-request.ts';
import { done, json, type Route } from '../route.ts';
import { createdShare, revokedShares, shareList, shareRequest } from '../schemas/views.ts';

export function shareView(shares: ShareAdmin): Route {
  return {
    method: 'POST',
    path: '/views/:view/share',
    interface: 'query',
    scope: 'write',
    mayBeMissing: true,
    summary: 'Share a view: a token that reads it and the streams that it names, and nothing else',
    body: { schema: shareRequest, optional: true, limits: settingsLimits },
    response: createdShare,
    async handle({ principal, params, body, reservation }) {
      const view = params['view']!;
      const request = decodeShareRequest(body, reservation);
      const { token, record } = await shares.create(principal, view, request);
      // What stands behind # stays in the browser: no server, no proxy and no log gets the token.
      const url = `/#view=${encodeURIComponent(view)}&token=${token}`;
      return json({ ...shown(record), token, url });
    },
  };
}

export function listShares(shares: ShareAdmin): Route {
  return {
    method: 'GET',
    path: '/views/:view/shares',
    interface: 'query',
    scope: 'write',
    mayBeMissing: true,
    summary: 'List the shares of a view that have not ended, the oldest first',
    response: shareList,
    handle: async ({ principal, params }) => json((await shares.list(principal, params['view']!)).map(shown)),
  };
}

export function revokeShares(shares: ShareAdmin): Route {
  return {
    method: 'DELETE',
    path: '/views/:view/shares',
    interface: 'query',
    scope: 'write',
    mayBeMissing: true,
    summary: 'Revoke the shares of a view: those that the token has made; all for an admin',
    response: revokedShares,
    handle: async ({ principal, params }) =>
      json({ revoked: await shares.revokeAll(principal, params['view']!) }),
  };
}

export function revokeShare(shares: ShareAdmin): Route {
  return {
    method: 'DELETE',
    path: '/views/:view/shares/:share',
    interface: 'query',
    scope: 'write',
    mayBeMissing: true,
    summary: 'Revoke a share',
    async handle({ principal, params }) {
      await shares.revoke(principal, params['view']!, params['share']!);
      return done;
    },
  };
}

/** A share as it is shown: neither the token nor a hash. */
function shown({ id, topic, streamIds, maker, createdAt, expires }: ShareRecord) {
  return {
    id,
    topic,
    streamIds,
    makerId: maker,
    createdAt: isoFromMillis(createdAt),
    expires: isoFromMillis(expires),
  };
}
