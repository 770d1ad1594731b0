import { requireOperator } from '../../auth/authenticate.ts';
import { PitwallError } from '../../errors.ts';
import type { Metrics } from '../../metrics.ts';
import type { Keeper } from '../../store/store.ts';
import { type Call, json, type Route } from '../route.ts';
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

/** What stands for problems where anyone could read them: they name files, hosts and what a disk does. */
const hidden = 'there are problems; an admin token of the default workspace is shown which';

/** Problems as whoever asks may know them. */
export async function shownProblems(
  problems: readonly string[],
  { isOperator }: Pick<Call, 'isOperator'>,
): Promise<readonly string[]> {
  return problems.length === 0 || (await isOperator()) ? problems : [hidden];
}

/**
 * The store is open and takes writes; problems that do not stop writes are told too. Everyone is told that there are
 * some, an admin of the default workspace which. A link that is down stops none:
 * what is written here is safe, and a node that was taken out of service for it would take its readers with it.
 */
export function readyz(store: Keeper, link: LinkHealth | undefined, isStopping: () => boolean): Route {
  return {
    method: 'GET',
    path: '/readyz',
    interface: 'service',
    scope: undefined,
    tellsOperatorMore: true,
    summary: 'Does the service take writes? An admin of the default workspace is told what is wrong',
    response: health,
    async handle(call) {
      if (isStopping()) throw new PitwallError('shutting_down', { detail: 'no more requests are taken' });
      const { writable, problems } = store.health();
      const shown = await shownProblems([...problems, ...(link?.problems ?? [])], call);
      if (!writable) throw new PitwallError('not_ready', { detail: shown.join('; ') });
      if (link === undefined) return json({ status: 'ready', problems: shown });
      const live = link.connected() ? 'connected' : 'disconnected';
      return json({ status: 'ready', live, problems: shown });
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
