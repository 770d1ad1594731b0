import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What all servers let in. */
export const login = { user: 'pitwall', password: 'a pass:word/of tests' };

/** A server of ClickHouse as it is started. */
export interface ServerOptions {
  /** Holds all that is its own. */
  readonly folder: string;
  /** Where it listens for HTTP, on loopback. */
  readonly port: number;
  /** Elements of its configuration, beside those of every server. */
  readonly configuration?: string;
  /** Variables of its environment, beside those of the tests. */
  readonly env?: NodeJS.ProcessEnv;
  /** What it does before it waits. */
  readonly statements?: readonly string[];
}

/** Writes the configuration of a server into its folder, and returns the arguments that it starts with. */
export function configure(options: ServerOptions): string[] {
  const { folder, port, configuration = '', statements = [] } = options;
  const dataDir = join(folder, 'data');
  const users = join(folder, 'users.xml');
  const configured = join(folder, 'config.xml');
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(users, usersXml);
  writeFileSync(
    configured,
    `<clickhouse>
<logger><level>error</level><errorlog>${join(folder, 'errors.log')}</errorlog></logger>
<path>${dataDir}</path>
<listen_host>127.0.0.1</listen_host>
<http_port>${port}</http_port>
<backups><allowed_path>${join(folder, 'backups')}</allowed_path></backups>
<users_config>${users}</users_config>
${poolsXml}
${configuration}
</clickhouse>`,
  );
  const queries = ['SYSTEM START LISTEN HTTP', ...statements, endless];
  return [`--config-file=${configured}`, `--path=${dataDir}`, `--query=${queries.join('; ')}`];
}

/** The process ends when its last statement does. */
const endless =
  'SELECT sleepEachRow(3) FROM numbers(1000000000) FORMAT Null SETTINGS function_sleep_max_microseconds_per_block = 0';

/** The statements that a server starts with are those of the user `default`. */
const usersXml = `<clickhouse>
<profiles><default/></profiles>
<quotas><default/></quotas>
<users>
<default><password/><networks><ip>::/0</ip></networks></default>
<${login.user}><password>${login.password}</password><networks><ip>::/0</ip></networks></${login.user}>
</users>
</clickhouse>`;

/** Fewer threads than on a machine that has nothing else to do. */
const poolsXml = `<background_pool_size>8</background_pool_size>
<background_common_pool_size>8</background_common_pool_size>
<background_fetches_pool_size>8</background_fetches_pool_size>
<background_move_pool_size>2</background_move_pool_size>
<background_schedule_pool_size>32</background_schedule_pool_size>`;
