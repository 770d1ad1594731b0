import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../free-port.ts';

/** Where Debian's package `zookeeper` puts it. */
const library = '/usr/share/java/zookeeper.jar';
const isInstalled = existsSync(library) && spawnSync('java', ['-version']).status === 0;

/** What `skip` of a test takes: false where the real server is installed. */
export const zookeeperMissing = isInstalled ? false : 'zookeeper is not installed';

/** A real ZooKeeper on a free port: what ClickHouse's Keeper stands for. */
export interface RunningZooKeeper {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startZooKeeper(): Promise<RunningZooKeeper> {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-zookeeper-'));
  const port = await freePort();
  const configuration = join(folder, 'zoo.cfg');
  const settings = {
    dataDir: join(folder, 'data'),
    clientPortAddress: '127.0.0.1',
    clientPort: port,
    // Milliseconds; a session lasts at least two of them.
    tickTime: 500,
    maxClientCnxns: 0,
    'admin.enableServer': false,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(configuration, lines.join(''));
  const server = 'org.apache.zookeeper.server.ZooKeeperServerMain';
  const child = spawn('java', ['-Xmx256m', '-cp', library, server, configuration], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!(await isAnswered(port))) {
    if (child.exitCode !== null) throw new Error(`ZooKeeper ended with ${child.exitCode}`);
    await pause(50);
  }
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isAnswered(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
