import { withoutLogin } from './domain/login.ts';
import { ConfigError, flagOf, type Setting, variableOf } from './setting.ts';
import { type Given, readEnvironment, readFile, readFlags } from './setting-sources.ts';
import { type Settings, settings } from './settings.ts';

export { ConfigError };

export type Config = { readonly [Key in keyof Settings]: ReturnType<Settings[Key]['read']> };

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
  if (path === '') throw new ConfigError('--config must not be empty');
  const file: Given = path === undefined ? new Map() : readFile(path);
  const config: Record<string, unknown> = {};
  const given = new Map<string, string>();
  for (const [key, { read, fallback }] of Object.entries<Setting<unknown>>(settings)) {
    const found = (
      [
        [`--${flagOf(key)}`, flags.get(key)],
        [variableOf(key), variables.get(key)],
        [`${key} in ${path}`, file.get(key)],
      ] as const
    ).find(([, value]) => value !== undefined);
    if (found !== undefined) given.set(key, found[0]);
    try {
      config[key] = read(found?.[1] ?? fallback);
      if (found?.[1] === '' && config[key] === undefined) throw new Error('must not be empty');
    } catch (error) {
      const message = withoutLoginOf(found?.[1] ?? '', (error as Error).message);
      throw new ConfigError(`${found?.[0] ?? key} ${message}`);
    }
  }
  checkTogether(config as Config, given);
  checkStore(config as Config, given);
  return config as Config;
}

/** What is said of a value, which may be an address that stands where it does not belong. */
function withoutLoginOf(given: string, message: string): string {
  const parts = [given, ...given.split(',').map((part) => part.trim())].filter((part) => part !== '');
  return parts.reduce((text, part) => text.replaceAll(part, () => withoutLogin(part)), message);
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

/** @param given where each setting comes from, as its operator calls it */
function checkTogether(config: Config, given: Given): void {
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
  if (config.domain !== undefined && pattern?.includes('{domain}') !== true) {
    throw new ConfigError(`${given.get('domain')} needs a --host-pattern that holds {domain}`);
  }
}

const ofReplicas = ['cluster', 'node', 'logBytes', 'readBarrier'] as const;

/** They have no effect on a store elsewhere. */
const ofDataFolder = ['readThreads', 'cacheBytes', 'indexBytes', 'snapshotBytes', 'headBytes'] as const;

/**
 * A data folder of the environment or the file, and what is set for it there, is not used with a store elsewhere: packages come with
 * one. Who gives both as flags has to say which.
 *
 * @param given as for `checkTogether`
 */
function checkStore({ store, replicas, live }: Config, given: Given): void {
  if (replicas !== undefined && (store !== undefined || live !== undefined)) {
    throw new ConfigError(
      `${given.get('replicas')} and ${given.get(store === undefined ? 'live' : 'store')} exclude each other: replicas keep all in their data folders, and their log is the live link`,
    );
  }
  if (replicas === undefined) {
    const name = ofReplicas.map((key) => given.get(key)).find((from) => from !== undefined);
    if (name !== undefined) throw new ConfigError(`${name} needs --replicas`);
  }
  if (store === undefined) {
    const name = [...given].find(([key]) => key.startsWith('clickhouse'))?.[1];
    if (name !== undefined) throw new ConfigError(`${name} needs --store`);
    return;
  }
  if (given.get('dataDir') === '--data-dir') {
    throw new ConfigError(
      '--data-dir and --store exclude each other: with --store nothing is kept in a folder',
    );
  }
  const useless = ofDataFolder.find((key) => given.get(key) === `--${flagOf(key)}`);
  if (useless !== undefined) {
    throw new ConfigError(`--${flagOf(useless)} is for the data folder, and has no effect with --store`);
  }
}
