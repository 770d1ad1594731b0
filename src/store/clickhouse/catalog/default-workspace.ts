import { defaultWorkspace } from '../../../domain/principal.ts';
import { workspaceRow } from './change-rows.ts';
import type { Registry } from './registry.ts';
import type { RegistryFeed } from './registry-feed.ts';
import type { TableRow } from './table-rows.ts';

/** A version below that of any change: whatever else is said of the workspace is newer. */
const version = 1n;

/** Makes the workspace that is always there, where it is not yet. Nodes that start at once may all do this. */
export async function makeDefaultWorkspace(
  insertRows: (rows: readonly TableRow[]) => Promise<void>,
  registry: Registry,
  feed: RegistryFeed,
  now: number,
): Promise<void> {
  if (registry.workspace(defaultWorkspace) !== undefined) return;
  const workspace = { name: defaultWorkspace, createdAt: Math.floor(now) };
  await insertRows([workspaceRow(workspace, version)]);
  registry.putWorkspace({ name: defaultWorkspace, version, workspace });
  await feed.refresh();
}
