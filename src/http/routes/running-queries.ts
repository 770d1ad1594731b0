import { isoFromMillis } from '../../domain/timestamp.ts';
import { PitwallError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { RunningQueries, RunningQuery } from '../../query/bounds/running-queries.ts';
import type { ServiceRegistry } from '../../store/store.ts';
import { reaches } from '../../workspaces/manage.ts';
import { done, json, type Route } from '../route.ts';
import { runningQueryList } from '../schemas/service.ts';

export function listRunningQueries(running: RunningQueries, catalog: Pick<ServiceRegistry, 'tokens'>): Route {
  return {
    method: 'GET',
    path: '/admin/queries',
    interface: 'admin',
    scope: 'admin',
    summary: 'List the queries that run: of the workspace; all for an admin of the default workspace',
    response: runningQueryList,
    handle({ principal }) {
      const names = new Map(catalog.tokens().map(({ id, name }) => [id, name]));
      const reached = running.list().filter((query) => reaches(principal, query.principal.workspace));
      return json(reached.map((query) => shown(query, names.get(query.principal.tokenId))));
    },
  };
}

export function endRunningQuery(running: RunningQueries, log: Log): Route {
  return {
    method: 'DELETE',
    path: '/admin/queries/:id',
    interface: 'admin',
    scope: 'admin',
    mayBeMissing: true,
    summary: 'End a query that runs; its client gets `query_ended`',
    handle({ principal, params }) {
      const id = params['id']!;
      const query = running.list().find((one) => one.id === id);
      if (query === undefined || !reaches(principal, query.principal.workspace)) {
        throw new PitwallError('query_not_found', { detail: `no query with the id '${id}' runs here` });
      }
      query.end();
      const { route, principal: asker } = query;
      log.info(
        {
          queryId: id,
          route,
          workspace: asker.workspace,
          tokenId: asker.tokenId,
          endedBy: principal.tokenId,
        },
        'an admin ended a query',
      );
      return done;
    },
  };
}

function shown(query: RunningQuery, tokenName: string | undefined) {
  const { id, route, principal, startedAt, rowsRead, bytesAnswered } = query;
  return {
    id,
    workspace: principal.workspace,
    route,
    query: query.text(),
    startedAt: isoFromMillis(startedAt),
    elapsedSeconds: Math.round(query.elapsedMs()) / 1000,
    rowsRead,
    bytesAnswered,
    tokenId: principal.tokenId,
    tokenName,
  };
}
