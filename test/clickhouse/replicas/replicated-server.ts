// One server of a cluster of replicas. The library behind the engine replicates tables over a Keeper, but neither
// hands parts over nor runs what others say ON CLUSTER: that is done here.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '../session.ts';
import { literal, quoted, statementOf } from '../statement.ts';
import { giveOwnAddress } from './own-address.ts';
import { type Replica, replicaName } from './replica.ts';
import { serveParts } from './serve-parts.ts';

/** Only so that the library knows which server of the cluster it is; nothing listens there. */
const tcpPort = (number: number) => number + 1;

/** Writes the library's configuration and returns its path. */
export function writeReplicaConfiguration(dataDir: string, replica: Replica): string {
  const { cluster, number, keeperPort, servers } = replica;
  const replicas = servers.map(
    (_, i) => `<replica><host>127.0.0.1</host><port>${tcpPort(i)}</port></replica>`,
  );
  const path = join(dataDir, 'replica.xml');
  writeFileSync(
    path,
    `<clickhouse>
<tcp_port>${tcpPort(number)}</tcp_port>
<macros><shard>1</shard><replica>${replicaName(number)}</replica></macros>
<zookeeper>
  <node><host>127.0.0.1</host><port>${keeperPort}</port></node>
  <session_timeout_ms>3000</session_timeout_ms>
  <!-- All have the same identity, that of a library, and would end each other's sessions. -->
  <sessions_path>/clickhouse/sessions/${replicaName(number)}</sessions_path>
</zookeeper>
<remote_servers><${cluster}><shard>
  <internal_replication>true</internal_replication>${replicas.join('')}
</shard></${cluster}></remote_servers>
</clickhouse>`,
  );
  return path;
}

/** What can be done once the library is loaded. */
export function becomeReplica(dataDir: string, { number, servers }: Replica): void {
  const { parts } = servers[number]!;
  giveOwnAddress(parts);
  serveParts(dataDir, parts);
}

const onCluster = / ON CLUSTER `[^`]+`/;
/** Of replicated tables one server changes the rows, and the others follow. */
const changesRows = /^(?:ALTER TABLE \w+_local (?!MODIFY SETTING)|DELETE FROM |OPTIMIZE )/;
/** As long as a statement with ON CLUSTER waits for servers that live. */
const patienceMs = 5000;

/** What all servers let in. */
export interface Login {
  readonly user: string;
  readonly password: string;
}

/** The job as this server runs it, once the others have run theirs; one that is away runs it when it is back. */
export async function onAllServers(given: Job, replica: Replica, login: Login): Promise<Job> {
  const settings = new Map(given.settings);
  // Otherwise it would speak to itself over a port.
  settings.delete('prefer_localhost_replica');
  const { text } = given.statement;
  if (text.includes('clusterAllReplicas(')) {
    return { ...given, settings, statement: statementOf(await seeingAll(text, replica, login)) };
  }
  const job = { ...given, settings, statement: statementOf(text.replace(onCluster, '')) };
  if (!onCluster.test(text) || changesRows.test(text)) return job;
  const others = replica.servers.filter((_, i) => i !== replica.number);
  const ran = Promise.all(others.map(({ http }) => ask(requestTo(http, job, login))));
  for (const said of await Promise.race([ran, pause(patienceMs, [], { ref: false })])) {
    if (said !== undefined) throw new Error(said);
  }
  return job;
}

const allReplicas = /clusterAllReplicas\('[^']*', (?:'([^']*)', '([^']*)'|([\w.]+))\)/;

/** The statement with what all servers that answer have, in the place of a question to all of them. */
async function seeingAll(text: string, { servers }: Replica, { user, password }: Login): Promise<string> {
  const [asked, database, table, both] = allReplicas.exec(text)!;
  const from = database === undefined ? both! : `${quoted(database)}.${quoted(table!)}`;
  const columns = from.endsWith('tables') ? 'database, name, engine_full, create_table_query' : '*';
  const query = new URLSearchParams({ user, password, query: `SELECT ${columns} FROM ${from} FORMAT JSON` });
  const found = await Promise.all(
    servers.map(async ({ http }, i) => {
      const response = await fetch(`http://127.0.0.1:${http}/?${query}`).catch(() => undefined);
      return response?.ok ? [withNumber(i + 1, (await response.json()) as Table)] : [];
    }),
  );
  return text.replace(asked, () => `(${found.flat().join(' UNION ALL ')})`);
}

interface Table {
  readonly meta: readonly { readonly name: string; readonly type: string }[];
  readonly data: readonly object[];
}

function withNumber(server: number, { meta, data }: Table): string {
  const structure = meta.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ');
  // Of no text at all the library does not know the columns.
  const rows = ['{}', ...data.map((row) => JSON.stringify(row))].join('\n');
  const table = `format(JSONEachRow, ${literal(structure)}, ${literal(rows)})`;
  return `SELECT toUInt32(${server}) AS _shard_num, * FROM (SELECT * FROM ${table} LIMIT 1, ${data.length})`;
}

type Send = () => Promise<Response>;

function requestTo(port: number, job: Job, { user, password }: Login): Send {
  const { text } = job.statement;
  const database = text.startsWith('CREATE DATABASE') ? 'default' : job.database;
  const query = new URLSearchParams({ database, ...Object.fromEntries(job.settings) });
  for (const [name, value] of job.parameters) query.set(`param_${name}`, value);
  const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password };
  return () => fetch(`http://127.0.0.1:${port}/?${query}`, { method: 'POST', headers, body: text });
}

/** What the server says against it. Undefined when it ran it, and where it is away. */
async function ask(send: Send): Promise<string | undefined> {
  try {
    const response = await send();
    const said = await response.text();
    return response.ok ? undefined : said;
  } catch {
    void askUntilAnswered(send);
    return undefined;
  }
}

async function askUntilAnswered(send: Send): Promise<void> {
  let isAnswered = false;
  while (!isAnswered) {
    await pause(200, undefined, { ref: false });
    isAnswered = await send().then(
      () => true,
      () => false,
    );
  }
}
