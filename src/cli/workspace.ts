import { clientHelp, clientOptions, createClient } from './client.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { listOf, nothing, objectOf } from './expected-answer.ts';
import { print } from './standard-output.ts';
import { renderTable } from './table.ts';

interface ListedWorkspace {
  readonly name: string;
  readonly createdAt: string;
}

const members = { name: 'string', createdAt: 'string' } as const;
const isWorkspace = objectOf<ListedWorkspace>(members);
const isWorkspaceList = listOf<ListedWorkspace>(members);

export const workspaceCommand: Command = {
  name: 'workspace',
  summary: 'make, list and remove workspaces',
  help: () => `pitwall workspace create NAME
pitwall workspace list
pitwall workspace remove NAME

create and remove need an admin token of the default workspace. remove deletes the workspace's tokens, streams
and rows for good.

${clientHelp}`,

  async run(argv) {
    const { values, positionals } = readArguments(argv, clientOptions);
    const [action, name, ...rest] = positionals;
    if (rest.length > 0 || (action === 'list' && name !== undefined)) {
      throw new UsageError(`there is a word too many: '${rest[0] ?? name}'`);
    }
    if ((action === 'create' || action === 'remove') && !name) {
      throw new UsageError(`which workspace? pitwall workspace ${action} NAME`);
    }
    if (action !== 'create' && action !== 'remove' && action !== 'list') {
      throw new UsageError('pitwall workspace create, list or remove? See pitwall help workspace');
    }
    const client = createClient(values, process.env);
    try {
      if (action === 'create') {
        await client.call('POST', '/admin/workspaces', JSON.stringify({ name }), isWorkspace);
        await print(`made ${name}`);
      } else if (action === 'remove') {
        await client.call('DELETE', `/admin/workspaces/${encodeURIComponent(name!)}`, undefined, nothing);
        await print(`removed ${name}`);
      } else {
        const workspaces = await client.call('GET', '/admin/workspaces', undefined, isWorkspaceList);
        await print(
          renderTable([['NAME', 'CREATED'], ...workspaces.map((one) => [one.name, one.createdAt])]),
        );
      }
      return 0;
    } finally {
      client.close();
    }
  },
};
