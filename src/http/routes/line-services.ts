import type { Keeper } from '../../store/store.ts';
import { json, type Route } from '../route.ts';
import { shownProblems } from './health.ts';
import { dialects } from './line-dialects.ts';

/** Makes the routes that clients of the line protocol ask of the service itself, without a token. */
export function lineServices(store: Pick<Keeper, 'health'>): Route[] {
  return [ping(), health(store), settings()];
}

const versionHeaders = { 'X-Influxdb-Version': 'pitwall', 'X-Influxdb-Build': 'pitwall' };

function ping(): Route {
  return {
    method: 'GET',
    path: '/ping',
    interface: 'writer',
    scope: undefined,
    summary: 'Is the service there? For clients of the line protocol',
    dialect: dialects[1],
    handle: () => ({ status: 204, headers: versionHeaders }),
  };
}

function health(store: Pick<Keeper, 'health'>): Route {
  return {
    method: 'GET',
    path: '/health',
    interface: 'writer',
    scope: undefined,
    summary: 'Is the service well? For clients of the line protocol',
    dialect: dialects[2],
    async handle(call) {
      const { writable, problems } = store.health();
      const answer = { name: 'pitwall', checks: [] };
      if (writable) return json({ ...answer, message: 'ready for writes', status: 'pass' });
      const shown = await shownProblems(problems, call);
      return { ...json({ ...answer, message: shown.join('; '), status: 'fail' }), status: 503 };
    },
  };
}

/** Clients of QuestDB ask which versions of its line protocol they may speak: the first alone is text. */
function settings(): Route {
  return {
    method: 'GET',
    path: '/settings',
    interface: 'writer',
    scope: undefined,
    summary: 'What is spoken here? For clients of QuestDB',
    dialect: dialects[1],
    handle: () => json({ config: { 'line.proto.support.versions': [1] } }),
  };
}
