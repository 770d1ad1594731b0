import { requireOperator } from '../../auth/authenticate.ts';
import { PitwallError } from '../../errors.ts';
import type { Metrics } from '../../metrics.ts';
import type { Store } from '../../store/store.ts';
import { json, type Route } from '../route.ts';
import { health } from '../schemas/service.ts';

/** The process is alive. */
export function healthz(): Route {
  return {
    method: 'GET',
    path: '/healthz',
    interface: 'service',
    scope: undefined,
    summary: 'Is the process alive?',
    response: health,
    handle: () => json({ status: 'alive' }),
  };
}

/** The link to other nodes, where there is one. */
export interface LinkHealth {
  connected(): boolean;
  readonly problems: readonly string[];
}

/**
 * The store is open and takes writes; problems that do not stop writes are told too. A link that is down stops none:
 * what is written here is safe, and a node that was taken out of service for it would take its readers with it.
 */
export function readyz(store: Store, link: LinkHealth | undefined, isStopping: () => boolean): Route {
  return {
    method: 'GET',
    path: '/readyz',
    interface: 'service',
    scope: undefined,
    summary: 'Does the service take writes?',
    response: health,
    handle() {
      if (isStopping()) throw new PitwallError('shutting_down', { detail: 'no more requests are taken' });
      const { writable, problems } = store.health();
      if (!writable) throw new PitwallError('not_ready', { detail: problems.join('; ') });
      if (link === undefined) return json({ status: 'ready', problems });
      const live = link.connected() ? 'connected' : 'disconnected';
      return json({ status: 'ready', live, problems: [...problems, ...link.problems] });
    },
  };
}

/** Prometheus text. The figures are those of all workspaces, so it takes the default workspace's admin, unless open. */
export function metricsRoute({ registry }: Metrics, isOpen: boolean): Route {
  return {
    method: 'GET',
    path: '/metrics',
    interface: 'service',
    scope: isOpen ? undefined : 'admin',
    summary: 'Figures for Prometheus',
    answerTypes: ['text/plain'],
    async handle(call) {
      if (!isOpen) requireOperator(call.principal, 'metrics are');
      return { type: registry.contentType, body: await registry.metrics() };
    },
  };
}
