import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../free-port.ts';

/** How the real server is started; undefined where it is not installed. */
export const natsCommand = ['nats-server', '/usr/sbin/nats-server'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

/** What `skip` of a test takes: false where the real server is installed. */
export const natsMissing = natsCommand === undefined ? 'nats-server is not installed' : false;

/** A real NATS server on a free port. */
export interface RunningNats {
  readonly url: string;
  readonly port: number;
  kill(): Promise<void>;
  /** On the same port as before. */
  start(): Promise<void>;
}

/** It is stopped, and its folder removed, after the tests of the file. */
export async function startNats(args: readonly string[] = []): Promise<RunningNats> {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-nats-'));
  let child: ChildProcess | undefined;
  const port = await freePort();

  async function start(): Promise<void> {
    const started = spawn(
      natsCommand!,
      ['-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', folder, ...args],
      { stdio: 'ignore' },
    );
    child = started;
    const file = join(folder, `nats-server_${started.pid}.ports`);
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') {
      if (started.exitCode !== null) throw new Error(`nats-server ended with ${started.exitCode}`);
      await pause(10);
    }
  }

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
  }

  after(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return { url: `nats://127.0.0.1:${port}`, port, kill, start };
}
