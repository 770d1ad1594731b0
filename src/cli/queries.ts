import { clientHelp, clientOptions, createClient } from './client.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { listOf, nothing } from './expected-answer.ts';
import { plainLine } from './plain-lines.ts';
import { print } from './standard-output.ts';
import { renderTable } from './table.ts';

interface ListedQuery {
  readonly id: string;
  readonly workspace: string;
  readonly route: string;
  readonly query: string;
  readonly elapsedSeconds: number;
  readonly rowsRead: number;
  readonly bytesAnswered: number;
  readonly tokenId: string;
  readonly tokenName?: string;
}

/** The characters of a query's text that a line shows. */
const shownCharacters = 100;

export const queriesCommand: Command = {
  name: 'queries',
  summary: 'list the queries that run, and end one',
  help: () => `pitwall queries
pitwall queries end ID

Both need an admin token: one of the default workspace sees the queries of all workspaces. Where several nodes share
ClickHouse, each lists and ends its own.

${clientHelp}`,

  async run(argv) {
    const { values, positionals } = readArguments(argv, clientOptions);
    const [action, id, ...rest] = positionals;
    if (action !== undefined && action !== 'end') {
      throw new UsageError('pitwall queries, or pitwall queries end ID? See pitwall help queries');
    }
    if (rest.length > 0) throw new UsageError(`there is a word too many: '${rest[0]}'`);
    if (action === 'end' && !id) {
      throw new UsageError('which query? pitwall queries shows their ids');
    }
    const client = createClient(values, process.env);
    try {
      if (action === 'end') {
        await client.call('DELETE', `/admin/queries/${encodeURIComponent(id!)}`, undefined, nothing);
        await print(`ended ${id}`);
      } else {
        const queries = await client.call('GET', '/admin/queries', undefined, isQueryList);
        await print(renderTable([heading, ...queries.map(cellsOf)]));
      }
      return 0;
    } finally {
      client.close();
    }
  },
};

const isQueryList = listOf<ListedQuery>({
  id: 'string',
  workspace: 'string',
  route: 'string',
  query: 'string',
  elapsedSeconds: 'number',
  tokenId: 'string',
});

const heading = ['ID', 'WORKSPACE', 'SECONDS', 'ROWS READ', 'BYTES', 'TOKEN', 'QUERY'];

function cellsOf(query: ListedQuery): string[] {
  const { id, workspace, elapsedSeconds, rowsRead, bytesAnswered, tokenId, tokenName, route } = query;
  const asked = plainLine(query.query);
  const shown = asked.length > shownCharacters ? `${asked.slice(0, shownCharacters)}…` : asked;
  return [
    id,
    workspace,
    elapsedSeconds.toFixed(1),
    String(rowsRead),
    String(bytesAnswered),
    tokenName ?? tokenId,
    `${route} ${shown}`.trimEnd(),
  ];
}
