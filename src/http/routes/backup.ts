import { requireOperator } from '../../auth/authenticate.ts';
import type { Keeper } from '../../store/store.ts';
import type { Route } from '../route.ts';

/** All workspaces in one archive, so it takes the default workspace's admin. */
export function backupRoute(store: Keeper): Route {
  return {
    method: 'POST',
    path: '/admin/backup',
    interface: 'admin',
    scope: 'admin',
    summary: 'Back up one consistent state of all workspaces as a tar archive, while writes go on',
    answerTypes: ['application/x-tar'],
    incompressible: true,
    async handle({ principal, signal }) {
      requireOperator(principal, 'a backup holds every workspace: it is');
      const { bytes, chunks } = await store.backup(signal());
      return {
        type: 'application/x-tar',
        headers: {
          'Content-Length': String(bytes),
          'Content-Disposition': 'attachment; filename="pitwall-backup.tar"',
        },
        chunks,
      };
    },
  };
}
