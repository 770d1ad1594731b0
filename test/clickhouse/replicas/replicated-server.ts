// One server of a cluster of replicas. The library behind the engine replicates tables over a Keeper, but neither
// hands parts over nor runs what others say ON CLUSTER: that is done here.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '../session.ts';
import { statementOf } from '../statement.ts';
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
const changesRows = /^(?:ALTER TABLE \w+_local|DELETE FROM|OPTIMIZE) /;
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
  const job = { ...given, settings, statement: statementOf(text.replace(onCluster, '')) };
  if (!onCluster.test(text) || changesRows.test(text)) return job;
  const others = replica.servers.filter((_, i) => i !== replica.number);
  const answers = Promise.all(others.map(({ http }) => ask(requestTo(http, job, login))));
  for (const said of await Promise.race([answers, pause(patienceMs, [], { ref: false })])) {
    if (said !== undefined) throw new Error(said);
  }
  return job;
}

type Send = () => Promise<Response>;

function requestTo(port: number, job: Job, { user, password }: Login): Send {
  const query = new URLSearchParams({ database: job.database, ...Object.fromEntries(job.settings) });
  for (const [name, value] of job.parameters) query.set(`param_${name}`, value);
  const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password };
  return () =>
    fetch(`http://127.0.0.1:${port}/?${query}`, { method: 'POST', headers, body: job.statement.text });
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
