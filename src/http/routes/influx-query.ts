import { requireScope } from '../../auth/authenticate.ts';
import type { Principal } from '../../domain/principal.ts';
import { PitwallError } from '../../errors.ts';
import type { Reader } from '../../store/store.ts';
import { settingsLimits } from '../../wire/json/json-memory.ts';
import { readStatements, type Statement } from '../../wire/lines/influxql.ts';
import type { Call, Route } from '../route.ts';
import { eventValue } from '../schemas/written-data.ts';
import { dialects } from './line-dialects.ts';
import { defaultPolicy, type LineQuery, textOf } from './line-query.ts';

/**
 * `/query` of version 1, for what clients ask before they write: a database is a topic, a measurement a stream. The answers
 * have InfluxDB's form:
 *
 *   { results: [{ statement_id, series?: [{ name?, columns, values? }], messages?: [{ level, text }], error? }] }
 *
 * A statement that is not known is 400 `{ error }`; what fails otherwise stands in `error` of a 200, and what follows is
 * "not executed".
 */
export function influxQuery(store: Pick<Reader, 'catalog'>, now: () => number): Route[] {
  const answer = async (call: Call) => {
    const parameters = { ...formOf(call.body), ...call.query };
    const text = textOf(parameters['q']) ?? '';
    if (text === '') throw new PitwallError('missing_property', { detail: 'missing required parameter "q"' });
    const database = textOf(parameters['db']) || undefined;
    const results: Result[] = [];
    for (const statement of readStatements(text)) {
      const result = results.at(-1)?.error === undefined ? await run(statement, database, call) : notExecuted;
      if (result === undefined) break;
      results.push(result);
    }
    return { type: 'application/json; charset=utf-8', chunks: encodeResults(results) };
  };

  const run = async (statement: Statement, given: string | undefined, call: Call): Promise<Result> => {
    const context = { catalog: store.catalog, principal: call.principal, now: now(), signal: call.signal() };
    try {
      return await runStatement(statement, given, context);
    } catch (error) {
      if (error instanceof PitwallError && error.code === 'not_found') return { error: error.message };
      throw error;
    }
  };

  return (['GET', 'POST'] as const).map((method) => ({
    method,
    path: '/query',
    interface: 'writer',
    scope: 'any',
    summary: 'What clients of the line protocol, version 1, ask before they write',
    ...(method === 'POST' && {
      body: { schema: eventValue, optional: true, anyType: true, limits: settingsLimits },
    }),
    dialect: dialects[1],
    handle: answer,
  }));
}

interface Result {
  readonly name?: string;
  readonly columns?: readonly string[];
  readonly values?: readonly (readonly unknown[])[];
  readonly warning?: string;
  readonly error?: string;
}

const notExecuted: Result = { error: 'not executed' };

interface Context {
  readonly catalog: Reader['catalog'];
  readonly principal: Principal;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
}

async function runStatement(
  statement: Statement,
  given: string | undefined,
  { catalog, principal, now, signal }: Context,
): Promise<Result> {
  const { workspace } = principal;
  const topics = async (): Promise<string[]> => {
    const found = await catalog.topics(workspace, signal);
    return found.map(({ name }) => name);
  };
  const streams = async (topic: string): Promise<string[]> => {
    requireScope(principal, 'read');
    const found = await catalog.streams(workspace, { topic }, now, signal);
    return found.map(({ streamId }) => streamId);
  };

  switch (statement.type) {
    case 'showDatabases':
      return { name: 'databases', columns: ['name'], values: (await topics()).map((topic) => [topic]) };
    case 'showMeasurements': {
      const { database = needed(given), limit = 0, offset = 0 } = statement;
      const ids = (await streams(database)).slice(offset, limit === 0 ? undefined : offset + limit);
      if (ids.length === 0) return {};
      return { name: 'measurements', columns: ['name'], values: ids.map((id) => [id]) };
    }
    case 'showRetentionPolicies': {
      const { database = needed(given) } = statement;
      const policies = policiesOf(database, await topics());
      const values = policies.map(({ name, topic }) => {
        const kept = lengthOf(catalog.retainedFrom(workspace, topic), now);
        return [name, kept, '0s', 1, name === defaultPolicy];
      });
      return { columns: ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'], values };
    }
    case 'createDatabase':
      return statement.hasOptions ? { warning: optionsIgnored } : {};
    case 'dropDatabase':
      return dropNothing(await topics(), statement.name, `the database ${statement.name}`);
    case 'dropMeasurement': {
      const database = needed(given);
      const ids = (await catalog.hasStream(workspace, database, statement.name)) ? [statement.name] : [];
      return dropNothing(ids, statement.name, `the measurement ${statement.name}`);
    }
    case 'dropRetentionPolicy': {
      const { name, database } = statement;
      const names = (await topics()).map((topic) => topic.toLowerCase());
      const topic = name === defaultPolicy ? database : `${database}/${name}`;
      return dropNothing(names, topic.toLowerCase(), `the retention policy ${name}`);
    }
  }
}

const optionsIgnored =
  'the options have no meaning here: how long rows are kept is set with PUT /topics/{topic}';

/** What is there is not dropped by the way: rows are deleted by other calls, with another scope. */
function dropNothing(there: readonly string[], name: string, what: string): Result {
  if (!there.some((one) => one.toLowerCase() === name.toLowerCase())) return {};
  return {
    error: `${what} is not empty and is not dropped here: its streams are deleted with DELETE /streams`,
  };
}

function needed(database: string | undefined): string {
  if (database !== undefined) return database;
  throw new PitwallError('not_found', { detail: 'database name required' });
}

/** The policies of a database: its own topic, and those `database/policy`. */
function policiesOf(database: string, topics: readonly string[]) {
  const wanted = database.toLowerCase();
  const own = topics.filter((topic) => topic.toLowerCase() === wanted);
  const others = topics.filter((topic) => topic.toLowerCase().startsWith(`${wanted}/`));
  if (own.length + others.length === 0) {
    throw new PitwallError('not_found', { detail: `database not found: ${database}` });
  }
  return [
    { name: defaultPolicy, topic: database },
    ...others.map((topic) => ({ name: topic.slice(database.length + 1), topic })),
  ];
}

/** How long rows are kept, in InfluxDB's form of whole seconds; `0s` is for ever. */
function lengthOf(retainedFrom: bigint | undefined, now: number): string {
  if (retainedFrom === undefined) return '0s';
  const seconds = Math.round((now * 1e6 - Number(retainedFrom)) / 1e9);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (seconds < 60) return `${seconds}s`;
  return `${hours > 0 ? `${hours}h` : ''}${minutes}m${seconds % 60}s`;
}

/** The parameters of a form in the body (URL Standard, section 5.1). */
function formOf(body: Uint8Array): LineQuery {
  return Object.fromEntries(new URLSearchParams(Buffer.from(body).toString()));
}

/** The rows of a chunk: they take a fraction of a millisecond. */
const rowsOfChunk = 1000;

function* encodeResults(results: readonly Result[]): Generator<Uint8Array> {
  yield Buffer.from('{"results":[');
  for (const [id, { name, columns, values = [], warning, error }] of results.entries()) {
    const messages = warning === undefined ? undefined : [{ level: 'warning', text: warning }];
    const head = JSON.stringify({ statement_id: id, messages, error }).slice(0, -1);
    yield Buffer.from(`${id === 0 ? '' : ','}${head}`);
    if (columns !== undefined) {
      yield Buffer.from(`,"series":[${JSON.stringify({ name, columns }).slice(0, -1)}`);
      for (let row = 0; row < values.length; row += rowsOfChunk) {
        const rows = JSON.stringify(values.slice(row, row + rowsOfChunk)).slice(1, -1);
        yield Buffer.from(`${row === 0 ? ',"values":[' : ','}${rows}`);
      }
      yield Buffer.from(values.length === 0 ? '}]' : ']}]');
    }
    yield Buffer.from('}');
  }
  yield Buffer.from(']}\n');
}
