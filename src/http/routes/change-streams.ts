import { requireScope } from '../../auth/authenticate.ts';
import type { Writer } from '../../ingest/writer.ts';
import { queryLimits } from '../../wire/json/json-memory.ts';
import { decodeStreamDelete, decodeStreamRestore } from '../../wire/requests/stream-change.ts';
import { json, type Route } from '../route.ts';
import { deletedStreams, restoredStreams, streamDelete, streamRestore } from '../schemas/streams.ts';

/** Makes the routes that delete streams, the same call twice: some proxies drop the body of a DELETE. */
export function deleteStreams(writer: Writer): Route[] {
  const route = {
    interface: 'query',
    scope: 'write',
    body: { schema: streamDelete, optional: false, limits: queryLimits },
    response: deletedStreams,
    async handle({ principal, body, reservation }) {
      const { filter, hard } = decodeStreamDelete(body, reservation);
      if (hard) requireScope(principal, 'admin');
      const action = hard ? 'hardDelete' : 'softDelete';
      return json({ deleted: await writer.changeStreams(principal.workspace, action, filter) });
    },
  } satisfies Partial<Route>;
  return [
    {
      ...route,
      method: 'DELETE',
      path: '/streams',
      summary: 'Delete streams: hide them, or with hardDelete (needs the scope admin) remove them for good',
    },
    { ...route, method: 'POST', path: '/streams/delete', summary: 'The same as DELETE /streams' },
  ];
}

export function restoreStreams(writer: Writer): Route {
  return {
    method: 'POST',
    path: '/streams/restore',
    interface: 'query',
    scope: 'write',
    summary: 'Restore soft-deleted streams, with their rows and the status that they had',
    body: { schema: streamRestore, optional: false, limits: queryLimits },
    response: restoredStreams,
    async handle({ principal, body, reservation }) {
      const filter = decodeStreamRestore(body, reservation);
      return json({ restored: await writer.changeStreams(principal.workspace, 'restore', filter) });
    },
  };
}
