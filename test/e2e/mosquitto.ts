import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { endWithTests } from '../end-with-tests.ts';
import { until } from '../until.ts';

const broker = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto'].find((path) => existsSync(path));

/** For the `skip` of tests that need it. */
export const noMosquitto: false | string =
  (broker === undefined || spawnSync('mosquitto_pub', ['--help']).error !== undefined) &&
  "mosquitto is not installed ('apt-get install mosquitto mosquitto-clients')";

/** A broker that keeps its sessions in a folder, with these lines in its configuration besides. */
export async function startMosquitto(
  folder: string,
  port: number,
  lines: readonly string[] = [],
): Promise<ChildProcess> {
  mkdirSync(folder, { recursive: true });
  const conf = join(folder, 'mosquitto.conf');
  const usual = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    // As root it would become another user, who cannot write to the folder.
    `user ${userInfo().username}`,
    'persistence true',
    `persistence_location ${folder}/`,
    'max_queued_messages 100000',
  ];
  writeFileSync(conf, [...usual, ...lines, ''].join('\n'));
  const child = endWithTests(spawn(broker!, ['-c', conf], { stdio: 'ignore' }));
  await until(
    () =>
      new Promise<boolean>((resolve) => {
        if (child.exitCode !== null) throw new Error(`mosquitto ended with ${child.exitCode}`);
        const socket = connect(port, '127.0.0.1');
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      }),
  );
  return child;
}
