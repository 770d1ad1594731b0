import { requireOperator } from '../../auth/authenticate.ts';
import type { Doors } from '../../ingest/doors.ts';
import { json, type Route } from '../route.ts';
import { doorList } from '../schemas/service.ts';

export function listDoors(doors: Doors): Route {
  return {
    method: 'GET',
    path: '/admin/doors',
    interface: 'admin',
    scope: 'admin',
    summary:
      'List the protocols of other programs that are spoken here, and what came through each since the start',
    response: doorList,
    async handle({ principal }) {
      requireOperator(principal, 'doors are those of every workspace: they are');
      return json(await doors.list());
    },
  };
}
