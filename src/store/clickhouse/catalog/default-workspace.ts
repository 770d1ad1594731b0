import { defaultWorkspace } from '../../../domain/principal.ts';
import type { ClickHouse } from '../server/client.ts';
import { insertSettings } from '../server/insert-settings.ts';
import type { Topology } from '../server/schema.ts';
import { param, print, sql } from '../server/sql.ts';
import type { Registry } from './registry.ts';
import type { RegistryFeed } from './registry-feed.ts';

/** Below that of any change: whatever else is said of the workspace is newer. */
const version = 1n;

/** Makes the workspace that is always there, where it is not yet. Nodes that start at once may all do this. */
export async function makeDefaultWorkspace(
  clickhouse: ClickHouse,
  topology: Topology,
  registry: Registry,
  feed: RegistryFeed,
  now: number,
): Promise<void> {
  if (registry.workspace(defaultWorkspace) !== undefined) return;
  const createdAt = Math.floor(now);
  const insert = sql`INSERT INTO workspaces (name, created, removed, version)
SELECT ${param(defaultWorkspace, 'String')}, ${param(BigInt(createdAt), 'Int64')}, 0, ${param(version, 'UInt64')}`;
  await clickhouse.command(print(insert), {
    settings: insertSettings(topology, 'workspaces', 'default workspace'),
  });
  registry.putWorkspace({
    name: defaultWorkspace,
    version,
    workspace: { name: defaultWorkspace, createdAt },
  });
  await feed.refresh();
}
