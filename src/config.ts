import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  address,
  count,
  countUpTo,
  duration,
  names,
  nodeName,
  oneOf,
  optional,
  size,
  text,
  token,
  truth,
} from './setting-values.ts';

/**
 * Every setting of the service, in one table. The key is the name in the JSON file (`--config`); the flag and
 * the environment variable follow from it: `dataDir`, `--data-dir`, `PITWALL_DATA_DIR`. Flags win over the
 * environment, the environment wins over the file, the file wins over the default.
 */
const settings = {
  dataDir: setting(
    'folder',
    './pitwall-data',
    text,
    'where everything is kept; one process at a time uses it',
  ),
  listen: setting(
    'HOST:PORT',
    '127.0.0.1:8480',
    address,
    'address of every interface; port 0 takes any free one',
  ),
  queryListen: setting('HOST:PORT', '', optional(address), 'a further address that serves queries only'),
  writerListen: setting('HOST:PORT', '', optional(address), 'a further address that serves the writer only'),
  hubListen: setting('HOST:PORT', '', optional(address), 'a further address that serves the hub only'),
  hostPattern: setting(
    'pattern',
    '',
    optional(text),
    'how a Host header names a workspace, such as {service}-{organisation}-{workspace}.{domain}',
  ),
  domain: setting('name', '', optional(text), 'what {domain} stands for in the host pattern'),
  token: secret(
    'token',
    '',
    optional(token),
    'an admin token of the default workspace, chosen by the operator',
  ),
  tlsCert: setting('file', '', optional(text), 'certificate chain (PEM); read again on SIGHUP'),
  tlsKey: setting('file', '', optional(text), 'private key (PEM); read again on SIGHUP'),
  interruptedAfter: setting(
    'time',
    '60s',
    duration,
    'an open stream without writes for so long is Interrupted',
  ),
  lineStreamTags: setting(
    'names',
    '',
    names,
    'tags of the line protocol, with commas, whose values make streams of their own of a measurement',
  ),
  maxBodyBytes: setting('bytes', '32MiB', size, 'largest body of a request, after decompression'),
  maxInFlightBytes: setting(
    'bytes',
    '256MiB',
    size,
    'all bodies and answers in memory at one time; then 503',
  ),
  nodeName: setting(
    'name',
    'node1',
    nodeName,
    "this node's name, with which the tokens of its hub connections begin",
  ),
  hubHandshakeTimeout: setting(
    'time',
    '15s',
    duration,
    'a hub connection without a handshake by then is closed',
  ),
  hubKeepAlive: setting(
    'time',
    '15s',
    duration,
    'the hub pings a client to which it sent nothing for so long',
  ),
  hubClientTimeout: setting(
    'time',
    '30s',
    duration,
    'a hub client that pings is gone after so long a silence',
  ),
  hubMaxMessageBytes: setting('bytes', '32MiB', size, 'largest message to the hub'),
  hubMaxUnfinishedBytes: setting(
    'bytes',
    '64MiB',
    size,
    'most bytes of a hub client that wait for the rest of their message or WebSocket message',
  ),
  hubMaxDepth: setting(
    'levels',
    '64',
    countUpTo(64),
    'deepest nesting of an argument to the hub, 64 at most',
  ),
  hubMaxConnections: setting('count', '10000', count, 'most hub connections of a token at one time'),
  hubMaxSubscriptions: setting('count', '100000', count, 'most hub subscriptions of a token at one time'),
  hubMaxInFlight: setting(
    'count',
    '1000',
    count,
    'most unanswered calls of a hub connection; more stay unread until one is answered',
  ),
  hubMaxQueueBytes: setting('bytes', '16MiB', size, 'a hub reader that is so far behind is closed'),
  maxResultBytes: setting('bytes', '128MiB', size, 'largest columnar answer, as columns in memory'),
  maxNameBytes: setting('bytes', '512', size, 'longest name or id, in UTF-8'),
  maxParameters: setting('count', '4096', count, 'most parameters in a payload'),
  maxTags: setting('count', '256', count, 'most tags in a payload'),
  maxTimestamps: setting('count', '1000000', count, 'most timestamps in a payload'),
  maxStringBytes: setting('bytes', '64KiB', size, 'longest string value, in UTF-8'),
  maxBinaryBytes: setting('bytes', '1MiB', size, 'longest binary value'),
  cacheBytes: setting('bytes', '64MiB', size, 'blocks of parts kept in memory for reads'),
  headBytes: setting('bytes', '128MiB', size, 'rows kept in memory before they are sealed into parts'),
  corsOrigin: setting('origins', '*', text, 'origins that browsers may call from, with commas; * is any'),
  metricsOpen: setting('true or false', 'false', truth, 'serve /metrics without a token'),
  logLevel: setting(
    'level',
    'info',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'log level',
  ),
} as const;

type Settings = typeof settings;
export type Config = { readonly [Key in keyof Settings]: ReturnType<Settings[Key]['read']> };

/** A wrong or unknown setting; the message is one line for the operator. */
export class ConfigError extends Error {}

interface Setting<Value> {
  readonly unit: string;
  /** As an operator would write it; empty means unset. */
  readonly fallback: string;
  /** Reads the text of a setting, or throws an Error that says what was expected. */
  readonly read: (text: string) => Value;
  readonly help: string;
  /** Secrets have no flag: every user of a machine can see its command lines. */
  readonly secret: boolean;
}

/** Where settings come from besides the defaults. */
export interface ConfigSources {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads every setting. Throws a ConfigError for the first that is unknown or wrong. */
export function loadConfig({ argv, env }: ConfigSources): Config {
  const flags = readFlags(argv);
  const variables = readEnvironment(env);
  const path = flags.get('config') ?? variables.get('config');
  const file = path === undefined ? new Map<string, string>() : readFile(path);
  const config: Record<string, unknown> = {};
  for (const [key, { read, fallback }] of Object.entries<Setting<unknown>>(settings)) {
    const found = (
      [
        [`--${flagOf(key)}`, flags.get(key)],
        [variableOf(key), variables.get(key)],
        [`${key} in ${path}`, file.get(key)],
      ] as const
    ).find(([, value]) => value !== undefined);
    try {
      config[key] = read(found?.[1] ?? fallback);
    } catch (error) {
      throw new ConfigError(`${found?.[0] ?? key} ${(error as Error).message}`);
    }
  }
  checkTogether(config as Config);
  return config as Config;
}

/** The list of `pitwall serve --help`: every setting with its unit and default. */
export function describeSettings(): string {
  const lines = Object.entries<Setting<unknown>>(settings).map(([key, { unit, fallback, help, secret }]) => {
    const name = secret ? variableOf(key) : `--${flagOf(key)}`;
    const note = fallback === '' ? unit : `${unit}, default ${fallback}`;
    return `  ${name.padEnd(22)} ${help} (${note})`;
  });
  const config = `  ${'--config'.padEnd(22)} JSON file with settings, named like dataDir (file)`;
  return [...lines, config].join('\n');
}

function readFlags(argv: readonly string[]): Map<string, string> {
  const options: Record<string, { type: 'string' | 'boolean' }> = { config: { type: 'string' } };
  const keys = new Map([['config', 'config']]);
  for (const [key, { secret, read }] of Object.entries<Setting<unknown>>(settings)) {
    if (secret) continue;
    options[flagOf(key)] = { type: read === truth ? 'boolean' : 'string' };
    keys.set(flagOf(key), key);
  }
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const values = new Map<string, string>();
  for (const part of tokens) {
    if (part.kind === 'positional')
      throw new ConfigError(`'${part.value}' is not a setting; see pitwall serve --help`);
    if (part.kind !== 'option') continue;
    const key = keys.get(part.name);
    if (key === undefined || !part.rawName.startsWith('--')) {
      throw new ConfigError(`${part.rawName} is not a setting; see pitwall serve --help`);
    }
    const given = part.value ?? (options[part.name]!.type === 'boolean' ? 'true' : undefined);
    if (given === undefined || (given.startsWith('--') && !part.inlineValue)) {
      throw new ConfigError(`${part.rawName} needs a value`);
    }
    values.set(key, given);
  }
  return values;
}

/** Variables that are no settings: the client commands', and those that Kubernetes sets for a service named pitwall. */
const foreignVariable = /^PITWALL_(URL|PORT(_.*)?|SERVICE_(HOST|PORT.*))$/;

/** An empty variable counts as unset: containers often pass one on so. */
function readEnvironment(env: ConfigSources['env']): Map<string, string> {
  const keys = new Map(['config', ...Object.keys(settings)].map((key) => [variableOf(key), key]));
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('PITWALL_') || value === undefined || value === '' || foreignVariable.test(name))
      continue;
    const key = keys.get(name);
    if (key === undefined) throw new ConfigError(`${name} is not a setting; see pitwall serve --help`);
    values.set(key, value);
  }
  return values;
}

function readFile(path: string): Map<string, string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`the file ${path} cannot be read: ${(error as Error).message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ConfigError(`the file ${path} must hold one JSON object`);
  }
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(parsed)) {
    if (!Object.hasOwn(settings, key)) throw new ConfigError(`${key} in ${path} is not a setting`);
    if (value === null) continue;
    if (typeof value === 'object')
      throw new ConfigError(`${key} in ${path} must be text, a number, true or false`);
    values.set(key, String(value));
  }
  return values;
}

function checkTogether(config: Config): void {
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    throw new ConfigError('--tls-cert and --tls-key are needed together');
  }
  if (config.maxInFlightBytes < config.maxBodyBytes) {
    throw new ConfigError('--max-in-flight-bytes must be at least --max-body-bytes');
  }
  const pattern = config.hostPattern;
  if (pattern !== undefined && !pattern.includes('{workspace}')) {
    throw new ConfigError('--host-pattern must hold {workspace}');
  }
  if (pattern?.includes('{domain}') && config.domain === undefined) {
    throw new ConfigError('--host-pattern holds {domain}, so --domain is needed');
  }
}

function flagOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function variableOf(key: string): string {
  return `PITWALL_${flagOf(key).replaceAll('-', '_').toUpperCase()}`;
}

function setting<Value>(
  unit: string,
  fallback: string,
  read: (text: string) => Value,
  help: string,
): Setting<Value> {
  return { unit, fallback, read, help, secret: false };
}

function secret<Value>(
  unit: string,
  fallback: string,
  read: (text: string) => Value,
  help: string,
): Setting<Value> {
  return { unit, fallback, read, help, secret: true };
}
