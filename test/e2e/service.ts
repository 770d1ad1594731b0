import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { startCluster } from '../clickhouse/cluster/start-cluster.ts';
import { type Engine, notAsked, startEngine } from '../clickhouse/engine.ts';
import { endWithTests } from '../end-with-tests.ts';
import { freePort } from '../free-port.ts';
import { root } from '../root.ts';

/** The command as it is installed. */
export const pitwall = join(root, 'dist/cli/pitwall.js');

/** The admin token that services of tests start with. */
export const adminToken = 'the-operators-own-token';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running service, the real process. */
export interface RunningService {
  readonly child: ChildProcess;
  readonly url: string;
  /** What it has said so far. */
  stdout(): string;
  stderr(): string;
  /** Asks it to stop and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

/** A temporary folder that goes away with the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The variables of the machine that runs the tests must not reach the service. */
function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PITWALL_'));
  return { ...Object.fromEntries(inherited), ...extra };
}

/** Starts a command that a test watches while it runs. */
export function launch(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  mostFiles?: number,
  cli = pitwall,
) {
  const command = [process.execPath, cli, ...args];
  const limited = ['sh', '-c', `ulimit -n ${mostFiles}; exec "$0" "$@"`, ...command];
  const [program, ...given] = mostFiles === undefined ? command : limited;
  const child = endWithTests(
    spawn(program!, given, {
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const finished = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, stdout: () => stdout, stderr: () => stderr, finished };
}

/** Longer than any command takes that ends by itself, on a slow and busy machine too. */
const patienceMs = 300_000;

/** Runs a command to its end. One that does not end, because it serves or waits, is killed: its code is null then. */
export async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const { child, finished } = launch(args, env);
  const patience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  return await finished.finally(() => clearTimeout(patience));
}

/**
 * With TEST_STORE=clickhouse the services of the tests keep what they hold in ClickHouse, with TEST_STORE=cluster in two shards
 * of two replicas each.
 */
const testStore = process.env['TEST_STORE'] ?? '';
export const isOnClickHouse = ['clickhouse', 'cluster'].includes(testStore);
/** For the `skip` of tests of what no store decides: they run on the embedded one, and on ClickHouse where all is asked for. */
export const aboveStores: string | false =
  isOnClickHouse && notAsked !== false && `no store decides it: ${notAsked}`;
/** The name of the cluster under test. */
export const clusterUnderTest = testStore === 'cluster' ? 'many' : undefined;
/** What nodes of the tests are told of ClickHouse besides its address. */
export const clickHouseArgs: readonly string[] =
  clusterUnderTest === undefined ? [] : [`--clickhouse-cluster=${clusterUnderTest}`];

let engine: Promise<Pick<Engine, 'urlOf' | 'stop'>> | undefined;
const databases = new Map<string, string>();
if (isOnClickHouse) after(async () => (await engine)?.stop());

/** The arguments for the store under test: the folder, or a database that stands for it. */
export async function storeArgs(dataDir: string): Promise<string[]> {
  if (!isOnClickHouse) return ['--data-dir', dataDir];
  return ['--store', await databaseOf(dataDir), ...clickHouseArgs];
}

/** The address of the database that stands for a folder. */
export async function databaseOf(dataDir: string): Promise<string> {
  engine ??= clusterUnderTest === undefined ? startEngine() : startCluster(clusterUnderTest, [2, 2]);
  const database = databases.get(dataDir) ?? `service_${databases.size + 1}`;
  databases.set(dataDir, database);
  return (await engine).urlOf(database);
}

const ofDataFolder = /^--(?:head|cache|index|snapshot)-bytes/;

/** Without what is for a data folder, where there is none. */
export function forStore(args: readonly string[]): readonly string[] {
  if (!isOnClickHouse) return args;
  const isValue = (i: number): boolean => ofDataFolder.test(args[i - 1] ?? '') && !args[i - 1]!.includes('=');
  return args.filter((arg, i) => !ofDataFolder.test(arg) && !isValue(i));
}

interface ServiceOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How many files and sockets it may have open. */
  readonly mostFiles?: number;
  /** The command of another build than the one that is installed. */
  readonly cli?: string;
}

/** Starts a service on a free port and waits until it is ready. It is stopped after the tests of the file. */
export async function startService(
  options: ServiceOptions & { readonly dataDir?: string } = {},
): Promise<RunningService> {
  let service: RunningService | undefined;
  after(() => service?.stop('SIGKILL'));
  service = await launchService(options.dataDir ?? temporaryFolder(), options);
  return service;
}

/**
 * A service that runs while the tests of a suite do, not while those of other suites of the file do: on ClickHouse it asks
 * the engine again and again for what other nodes have changed. To be called at the suite's top.
 */
export function serviceOfSuite(options: ServiceOptions = {}): Pick<RunningService, 'url'> {
  const dataDir = temporaryFolder();
  let service: RunningService | undefined;
  before(async () => {
    service = await launchService(dataDir, options);
  });
  after(() => service?.stop('SIGKILL'));
  return {
    get url() {
      if (service === undefined) throw new Error('the tests of the suite have not begun');
      return service.url;
    },
  };
}

/** A service for callers that stop it themselves. */
export async function launchService(dataDir: string, options: ServiceOptions = {}): Promise<RunningService> {
  // A port that is still free where a test starts again on it.
  const listen = ['--listen', `127.0.0.1:${await freePort()}`];
  const args = [...listen, ...(await storeArgs(dataDir)), ...forStore(options.args ?? [])];
  return await launchNode({ ...options, args }).ready;
}

/** A process that serves, when it has what it waits for. */
export interface StartingService extends Omit<RunningService, 'url'> {
  readonly finished: Promise<Finished>;
  /** Rejects where it ends before it is ready. */
  readonly ready: Promise<RunningService>;
  /** Resolves when standard error has had such a text. */
  said(pattern: RegExp): Promise<void>;
}

/** A node whose `args` name its store. */
export function launchNode(options: ServiceOptions): StartingService {
  const args = ['--listen', '127.0.0.1:0', ...(options.args ?? [])];
  const service = launch(args, options.env ?? { PITWALL_TOKEN: adminToken }, options.mostFiles, options.cli);
  const { child, finished, stdout, stderr } = service;
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Finished> => {
    child.kill(signal);
    return finished;
  };
  const ready = new Promise<RunningService>((resolve, reject) => {
    child.stdout.on('data', () => {
      const line = /^pitwall listening on (\S+)$/m.exec(stdout());
      if (line !== null) resolve({ child, url: line[1]!, stdout, stderr, stop });
    });
    finished.then(({ code, stderr }) => reject(new Error(`the service ended with ${code}: ${stderr}`)));
  });
  // Who looks at how it ends need not look at this.
  ready.catch(() => undefined);
  const said = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (pattern.test(stderr())) resolve();
      };
      look();
      child.stderr.on('data', look);
      finished.then(() => reject(new Error(`it ended without saying ${pattern}: ${stderr()}`)));
    });
  return { child, stdout, stderr, stop, finished, ready, said };
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON. */
  json<T = unknown>(): T;
}

export interface Sent {
  /** POST if there is a body, else GET. */
  readonly method?: string;
  readonly body?: string | Uint8Array;
  /** Null sends no token. */
  readonly token?: string | null;
  /** `content-type: application/json` unless given; undefined leaves a header out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly agent?: Agent;
}

/** One request with exactly these bytes and headers. */
export function send(url: string, path: string, sent: Sent = {}): Promise<Reply> {
  const { body, token = adminToken } = sent;
  const headers: OutgoingHttpHeaders = {};
  if (token !== null) headers['authorization'] = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  for (const [name, value] of Object.entries(sent.headers ?? {})) {
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url + path,
      {
        method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
        headers,
        ...(sent.agent ? { agent: sent.agent } : {}),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          const json = <T>() => JSON.parse(text) as T;
          resolve({ status: response.statusCode!, headers: response.headers, bytes, text, json });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
