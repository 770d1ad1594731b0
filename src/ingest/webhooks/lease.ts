import { randomUUID } from 'node:crypto';
import type { CatalogWriter } from '../../store/store.ts';

/**
 * Which of several nodes sends the messages of a workspace: one holds a lease for half a minute, which it renews while messages wait.
 * Where clocks differ, or two take it at the same moment, both may send for a while: the messages have the same ids.
 */
export interface SendingLease {
  /** Renews or takes the lease of these workspaces, as the catalogue knows them. */
  renew(workspaces: readonly string[]): Promise<void>;
  holds(workspace: string): boolean;
}

const leaseMs = 30_000;
const renewMs = 20_000;

interface Lease {
  readonly holder: string;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

export function sendingLease({ append, catalog }: CatalogWriter, now: () => number): SendingLease {
  const holder: string = randomUUID();
  const name = { kind: 'webhookSender', topic: undefined, id: 'lease' } as const;

  const leaseOf = (workspace: string): Lease | undefined => {
    const item = catalog.document(workspace, name.kind, name.topic, name.id);
    return item && (JSON.parse(item.body) as Lease);
  };

  return {
    async renew(workspaces) {
      for (const workspace of workspaces) {
        const lease = leaseOf(workspace);
        const isOwn = lease?.holder === holder;
        const ends = (lease?.until ?? 0) - now();
        // One that ends far in the future was made by a clock that was wrong.
        if (isOwn ? ends > renewMs : ends > 0 && ends <= 2 * leaseMs) continue;
        if (catalog.workspace(workspace) === undefined) continue;
        const body = JSON.stringify({ holder, until: now() + leaseMs } satisfies Lease);
        await append({ workspace, changes: [{ type: 'keep', ...name, body }] });
      }
    },
    holds(workspace) {
      const lease = leaseOf(workspace);
      return lease?.holder === holder && lease.until > now();
    },
  };
}
