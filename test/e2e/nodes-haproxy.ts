import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { root } from '../root.ts';

const command = ['haproxy', '/usr/sbin/haproxy'].find((name) => spawnSync(name, ['-v']).status === 0);

/** What `skip` of a test takes: false where the real HAProxy is installed. */
export const haproxyMissing = command === undefined ? 'haproxy is not installed' : false;

/** The configuration that users get. */
export const haproxyConfiguration = join(root, 'packaging/haproxy.cfg');

export interface RunningHaproxy {
  readonly url: string;
  /** What it has logged. */
  log(): string;
  /** A command to its socket, such as `set server nodes/node1 state drain`; gives the answer. */
  admin(line: string): Promise<string>;
}

export function checkConfiguration(env: NodeJS.ProcessEnv): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(command!, ['-c', '-f', haproxyConfiguration], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

/**
 * A real HAProxy with the configuration that users get, before nodes at `host:port`, which are named node1, node2 and so
 * on. It is stopped after the tests of the file.
 */
export async function startHaproxy(nodes: readonly string[]): Promise<RunningHaproxy> {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-haproxy-'));
  const socket = join(folder, 'admin');
  const port = await freePort();
  const nobody = `127.0.0.1:${await freePort()}`;
  const [node1 = nobody, node2 = nobody, node3 = nobody] = nodes;
  const child: ChildProcess = spawn(command!, ['-db', '-f', haproxyConfiguration], {
    env: {
      ...process.env,
      PITWALL_BIND: `127.0.0.1:${port}`,
      ADMIN_SOCKET: socket,
      NODE1: node1,
      NODE2: node2,
      NODE3: node3,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}: ${log}`);
    await pause(50);
  }
  return { url, log: () => log, admin: (line) => ask(socket, line) };
}

/** Whether a node answers through it. */
async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

async function ask(socket: string, line: string): Promise<string> {
  const connection = connect(socket);
  let answer = '';
  connection.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  connection.end(`${line}\n`);
  await once(connection, 'close');
  return answer;
}
