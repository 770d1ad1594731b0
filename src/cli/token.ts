import { isoTime } from '../wire/requests/iso-time.ts';
import { clientHelp, clientOptions, createClient } from './client.ts';
import { type Command, CommandError, readArguments, UsageError } from './command.ts';
import { type Expected, listOf, nothing, objectOf } from './expected-answer.ts';
import { print, printOnce } from './standard-output.ts';
import { renderTable } from './table.ts';

interface ListedToken {
  readonly id: string;
  readonly workspace: string;
  readonly scopes: readonly string[];
  readonly name?: string;
  readonly createdAt: string;
  readonly expires?: string;
}

export const tokenCommand: Command = {
  name: 'token',
  summary: 'make, list and revoke access tokens',
  help: () => `pitwall token create [--workspace NAME] [--scope read,write] [--name TEXT] [--expires TIME]
pitwall token list
pitwall token revoke ID

create prints the token and nothing else; it cannot be shown again.

  --workspace NAME the workspace it belongs to (default: that of the token in use)
  --scope LIST     read, write, admin, with commas (default: read,write)
  --name TEXT      to tell tokens apart
  --expires TIME   when it ends: ISO 8601 such as 2030-01-31T00:00:00Z, or from now such as 12h or 30d
${clientHelp}`,

  async run(argv) {
    const { values, positionals } = readArguments(argv, {
      ...clientOptions,
      workspace: { type: 'string' },
      scope: { type: 'string' },
      name: { type: 'string' },
      expires: { type: 'string' },
    });
    const [action, id, ...rest] = positionals;
    if (rest.length > 0 || (action !== 'revoke' && id !== undefined)) {
      throw new UsageError(`there is a word too many: '${rest[0] ?? id}'`);
    }
    const ofCreate = (['workspace', 'scope', 'name', 'expires'] as const).find(
      (name) => values[name] !== undefined,
    );
    if ((action === 'list' || action === 'revoke') && ofCreate !== undefined)
      throw new UsageError(`--${ofCreate} has a meaning for pitwall token create only`);
    switch (action) {
      case 'create': {
        const request = {
          workspace: values.workspace,
          scopes: (values.scope ?? 'read,write').split(',').map((scope) => scope.trim()),
          name: values.name,
          expires: values.expires === undefined ? undefined : endTime(values.expires, Date.now()),
        };
        const isMade = objectOf<{ id: string; token: string }>({ id: 'string', token: 'string' });
        const made = await ask(values, 'POST', '/admin/tokens', JSON.stringify(request), isMade);
        const { id: madeId, token } = made;
        await printOnce(token).catch(({ message }: Error) => {
          throw new CommandError(`${message}; nobody has the token: pitwall token revoke ${madeId}`);
        });
        return 0;
      }
      case 'list': {
        const tokens = await ask(values, 'GET', '/admin/tokens', undefined, isTokenList);
        const rows = tokens.map(({ id, workspace, scopes, name, createdAt, expires }) => {
          return [id, workspace, scopes.join(','), createdAt, expires ?? 'never', name ?? ''];
        });
        await print(renderTable([['ID', 'WORKSPACE', 'SCOPES', 'CREATED', 'EXPIRES', 'NAME'], ...rows]));
        return 0;
      }
      case 'revoke':
        if (!id) throw new UsageError('which token? pitwall token list shows their ids');
        await ask(values, 'DELETE', `/admin/tokens/${encodeURIComponent(id)}`, undefined, nothing);
        await print(`revoked ${id}`);
        return 0;
      default:
        throw new UsageError('pitwall token create, list or revoke? See pitwall help token');
    }
  },
};

const isTokenList = listOf<ListedToken>({
  id: 'string',
  workspace: 'string',
  scopes: 'list',
  createdAt: 'string',
});

async function ask<Answer>(
  values: { readonly url?: string | undefined; readonly token?: string | undefined },
  method: string,
  path: string,
  body: string | undefined,
  isExpected: Expected<Answer>,
): Promise<Answer> {
  const client = createClient(values, process.env);
  try {
    return await client.call(method, path, body, isExpected);
  } finally {
    client.close();
  }
}

const unitMillis: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Years have four digits. */
const lastMillis = Date.parse('9999-12-31T23:59:59.999Z');

/** An ISO time, UTC where it names no zone, or a span from now such as `30d`, as ISO 8601. */
export function endTime(text: string, now: number): string {
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const end = count === undefined ? timeOf(text) : now + Number(count) * unitMillis[unit]!;
  if (end > lastMillis) throw new UsageError(`--expires '${text}' is beyond the year 9999`);
  return new Date(end).toISOString();
}

function timeOf(text: string): number {
  try {
    return isoTime(text, '');
  } catch {
    throw new UsageError(
      `--expires '${text}' is neither a time such as 2030-01-31T00:00:00Z nor a span such as 30d`,
    );
  }
}
