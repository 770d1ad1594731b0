import { requireOperator } from '../../auth/authenticate.ts';
import { PitwallError } from '../../errors.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import { json, type Route } from '../route.ts';
import { replicaState } from '../schemas/service.ts';

/** @param replicas undefined where the node has none */
export function tellReplicas(replicas: Pick<Replicas, 'state'> | undefined): Route {
  return {
    method: 'GET',
    path: '/admin/replicas',
    interface: 'admin',
    scope: 'admin',
    summary: 'How far this node and the other replicas are with their log',
    response: replicaState,
    handle({ principal }) {
      requireOperator(principal, 'replicas hold every workspace: they are');
      if (replicas === undefined)
        throw new PitwallError('not_supported', {
          detail: 'this service has no replicas: it was started without --replicas',
        });
      return json(replicas.state());
    },
  };
}
