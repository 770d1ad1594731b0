import assert from 'node:assert/strict';
import { after } from 'node:test';
import { type Client, createClient } from '../../src/client/client.ts';
import { launchService, type RunningService, send, temporaryFolder } from './service.ts';

/** One service for all tests of the page that run in this process. */
let shared: Promise<RunningService> | undefined;
let workspaces = 0;
// Before the folder goes.
after(async () => (await shared)?.stop('SIGKILL'));
const dataDir = temporaryFolder();

/** A workspace of its own: what others write is not seen in it. */
export interface OwnWorkspace {
  readonly service: {
    readonly url: string;
    /** Of an admin of the workspace. */
    readonly token: string;
  };
  readonly client: Client;
}

/** Makes a workspace in which nothing is yet. */
export async function ownWorkspace(): Promise<OwnWorkspace> {
  shared ??= launchService(dataDir);
  const { url } = await shared;
  const workspace = `page-${++workspaces}`;
  const made = await send(url, `/admin/workspaces/${workspace}`, { method: 'PUT', body: '{}' });
  assert.ok(made.status < 300, made.text);
  const given = await send(url, '/admin/tokens', {
    body: JSON.stringify({ workspace, scopes: ['admin'], name: workspace }),
  });
  assert.ok(given.status < 300, given.text);
  const { token } = given.json<{ token: string }>();
  return { service: { url, token }, client: createClient({ url, token }) };
}
