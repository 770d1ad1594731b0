import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readPage } from '../docs/markdown.ts';
import { endWithTests } from '../end-with-tests.ts';
import { until } from '../until.ts';
import { csvNumber } from './csv-number.ts';
import { mqttRows, mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, startService, temporaryFolder } from './service.ts';

const collectd = ['/usr/sbin/collectd', 'collectd'].find(
  (command) => spawnSync(command, ['-h']).status === 0,
);

/** Its plugin is there, and what that needs. */
function canPublish(): boolean {
  if (collectd === undefined) return false;
  const file = join(temporaryFolder(), 'conf');
  writeFileSync(file, 'LoadPlugin mqtt\n<Plugin mqtt>\n</Plugin>\n');
  return spawnSync(collectd, ['-t', '-C', file]).status === 0;
}

const missing: false | string =
  !canPublish() && "collectd is not installed ('apt-get install collectd-core libmosquitto1')";

describe('collectd over MQTT', { skip: missing }, () => {
  it('writes what its plugin csv writes, configured as the page tells', async () => {
    const service = await startService({ args: ['--mqtt-listen', '127.0.0.1:0'] });
    const { port } = new URL(mqttUrlOf(service));
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'csv'));
    const block = readPage('docs/mqtt.md').blocks.find(({ language }) => language === 'apacheconf');
    const pasted = block!.text
      .replace('Host "127.0.0.1"', `Host "127.0.0.1"\n    Port ${port}`)
      .replace('$PITWALL_TOKEN', adminToken);
    const lines = [
      'Hostname "machine"',
      `BaseDir "${folder}"`,
      `PIDFile "${folder}/pid"`,
      'TypesDB "/usr/share/collectd/types.db"',
      'Interval 0.2',
      'LoadPlugin load',
      'LoadPlugin memory',
      `LoadPlugin csv\n<Plugin csv>\n  DataDir "${folder}/csv"\n</Plugin>`,
      pasted,
    ];
    writeFileSync(join(folder, 'conf'), `${lines.join('\n')}\n`);
    const child = endWithTests(
      spawn(collectd!, ['-f', '-C', join(folder, 'conf')], { stdio: ['ignore', 'ignore', 'ignore'] }),
    );
    const rows = () =>
      mqttRows(service.url, { topic: 'collectd', name: 'load.load.shortterm', groupBy: ['streamId'] });
    await until(async () => {
      if (child.exitCode !== null) throw new Error('collectd ended');
      return (await rows()).length >= 5;
    });
    child.kill('SIGTERM');
    await until(() => child.exitCode !== null);
    const files = join(folder, 'csv', 'machine', 'load');
    const written = readdirSync(files).flatMap((file) =>
      readFileSync(join(files, file), 'utf8').trim().split('\n').slice(1),
    );
    const theirs = new Set(written.map((line) => line.split(',').slice(0, 2).join()));
    const found = await rows();
    for (const { time, value, tags } of found) {
      assert.equal(tags[0], 'machine');
      const line = `${time.slice(0, -9)}.${time.slice(-9, -6)},${csvNumber(Number(value))}`;
      assert.ok(theirs.has(line), `${line} is none of ${[...theirs].join(' ')}`);
    }
    const memory = await mqttRows(service.url, {
      topic: 'collectd',
      name: 'memory.memory',
      groupBy: ['type_instance'],
    });
    assert.ok(memory.some(({ tags }) => tags[0] === 'free'));
    await service.stop();
  });
});
