import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterServer, login, serverName } from './cluster-server.ts';

export interface ClusterOf {
  readonly cluster: string;
  readonly servers: readonly ClusterServer[];
  readonly keeperPort: number;
}

/** Writes the configuration of a server into its folder, and returns the arguments that it starts with. */
export function configure(folder: string, own: ClusterServer, given: ClusterOf): string[] {
  const users = join(folder, 'users.xml');
  const configuration = join(folder, 'config.xml');
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(users, usersXml);
  writeFileSync(configuration, configurationXml(dataDir, users, own, given));
  const statements = [
    'SYSTEM START LISTEN HTTP',
    'SYSTEM START LISTEN TCP',
    // The process ends when its last statement does.
    'SELECT sleepEachRow(3) FROM numbers(1000000000) FORMAT Null SETTINGS function_sleep_max_microseconds_per_block = 0',
  ];
  return [`--config-file=${configuration}`, `--path=${dataDir}`, `--query=${statements.join('; ')}`];
}

/** The statements that a server starts with are those of the user `default`. */
const usersXml = `<clickhouse>
<profiles><default/></profiles>
<quotas><default/></quotas>
<users>
  <default><password/><networks><ip>::/0</ip></networks></default>
  <${login.user}><password>${login.password}</password><networks><ip>::/0</ip></networks></${login.user}>
</users>
</clickhouse>`;

function configurationXml(
  dataDir: string,
  users: string,
  own: ClusterServer,
  { cluster, servers, keeperPort }: ClusterOf,
): string {
  const { user, password } = login;
  const shards = [...new Set(servers.map(({ shard }) => shard))];
  const replicasOf = (shard: number) =>
    servers
      .filter((server) => server.shard === shard)
      .map(
        ({ native }) =>
          `<replica><host>127.0.0.1</host><port>${native}</port><user>${user}</user><password>${password}</password></replica>`,
      );
  return `<clickhouse>
<logger><level>error</level><errorlog>${dataDir}/../errors.log</errorlog></logger>
<path>${dataDir}</path>
<listen_host>127.0.0.1</listen_host>
<tcp_port>${own.native}</tcp_port>
<http_port>${own.http}</http_port>
<background_schedule_pool_size>32</background_schedule_pool_size>
<background_pool_size>8</background_pool_size>
<background_fetches_pool_size>8</background_fetches_pool_size>
<background_common_pool_size>8</background_common_pool_size>
<background_move_pool_size>2</background_move_pool_size>
<users_config>${users}</users_config>
<macros><shard>${own.shard}</shard><replica>${own.replica}</replica></macros>
<zookeeper>
  <node><host>127.0.0.1</host><port>${keeperPort}</port></node>
  <session_timeout_ms>3000</session_timeout_ms>
  <!-- All have the same identity, that of a library, and would end each other's sessions. -->
  <sessions_path>/clickhouse/sessions/${serverName(own)}</sessions_path>
</zookeeper>
<remote_servers><${cluster}>
${shards.map((shard) => `<shard><internal_replication>true</internal_replication>${replicasOf(shard).join('')}</shard>`).join('\n')}
</${cluster}></remote_servers>
</clickhouse>`;
}
