import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readPage } from '../docs/markdown.ts';
import { endWithTests } from '../end-with-tests.ts';
import { until } from '../until.ts';
import { csvNumber } from './csv-number.ts';
import { adminToken, send, startService, temporaryFolder } from './service.ts';

const collectd = ['/usr/sbin/collectd', 'collectd'].find(
  (command) => spawnSync(command, ['-h']).status === 0,
);

/** Its plugin is there, and what that needs. */
function canWrite(): boolean {
  if (collectd === undefined) return false;
  const file = join(temporaryFolder(), 'conf');
  writeFileSync(file, 'LoadPlugin write_http\n<Plugin write_http>\n</Plugin>\n');
  return spawnSync(collectd, ['-t', '-C', file]).status === 0;
}

const missing: false | string =
  !canWrite() && "collectd is not installed ('apt-get install collectd-core libyajl2')";

/** What the page tells people to paste, and two plugins besides: one that measures, and one that writes the same to files. */
function configured(url: string, host: string, format: string, folder: string): string {
  const block = readPage('docs/collectd.md').blocks.find(({ language }) => language === 'apacheconf');
  const pasted = block!.text
    .replace('http://127.0.0.1:8480', url)
    .replace('$PITWALL_TOKEN', adminToken)
    .replace('"JSON"', `"${format}"`);
  return `
Hostname "${host}"
BaseDir "${folder}"
PIDFile "${folder}/pid"
TypesDB "/usr/share/collectd/types.db"
Interval 0.2
LoadPlugin logfile
<Plugin logfile>
  File "${folder}/log"
</Plugin>
LoadPlugin load
LoadPlugin memory
LoadPlugin csv
<Plugin csv>
  DataDir "${folder}/csv"
</Plugin>
${pasted}
`;
}

describe('collectd', { skip: missing }, async () => {
  const service = await startService();

  const rowsOf = async (host: string, names: readonly string[], groupBy: string[] = []) => {
    const body = JSON.stringify({
      topic: 'collectd',
      streamIds: [host],
      numericParameters: names.map((parameterName) => ({ parameterName })),
      groupBy,
    });
    const reply = await send(service.url, '/parameters/data?int64=string', { body });
    if (reply.status !== 200) return [];
    const { timestamps, numericValues, tagValues } = reply.json<{
      timestamps: string[];
      numericValues: Record<string, number[]>;
      tagValues: Record<string, string[]>;
    }>();
    return timestamps.map((time, i) => ({
      line: [
        `${time.slice(0, -9)}.${time.slice(-9, -6)}`,
        ...names.map((name) => csvNumber(numericValues[name]![i]!)),
      ].join(),
      tags: groupBy.map((tag) => tagValues[tag]?.[i]),
    }));
  };

  for (const format of ['JSON', 'Command']) {
    it(`writes what its plugin csv writes (${format})`, async () => {
      const folder = temporaryFolder();
      const host = `host-${format.toLowerCase()}`;
      mkdirSync(join(folder, 'csv'));
      writeFileSync(join(folder, 'conf'), configured(service.url, host, format, folder));
      const child = endWithTests(
        spawn(collectd!, ['-f', '-C', join(folder, 'conf')], { stdio: ['ignore', 'ignore', 'pipe'] }),
      );
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const names = ['shortterm', 'midterm', 'longterm'].map((name) => `load.load.${name}`);
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`collectd ended: ${said}`);
        return (await rowsOf(host, names)).length >= 5;
      });
      child.kill('SIGTERM');
      await until(() => child.exitCode !== null);
      const files = join(folder, 'csv', host);
      const load = readdirSync(join(files, 'load')).map((file) =>
        readFileSync(join(files, 'load', file), 'utf8'),
      );
      const lines = load.flatMap((text) => text.trim().split('\n').slice(1));
      // It may read twice within a millisecond, which is one row.
      const theirs = [...new Set(lines)].sort();
      const ours = (await rowsOf(host, names)).map(({ line }) => line);
      assert.deepEqual(ours, theirs.slice(0, ours.length));
      assert.ok(theirs.length - ours.length <= 1, `${theirs.length} rows, of which ${ours.length} came`);
      const memory = await rowsOf(host, ['memory.memory'], ['type_instance']);
      assert.ok(memory.some(({ tags }) => tags[0] === 'free'));
      assert.doesNotMatch(readFileSync(join(folder, 'log'), 'utf8'), /write_http plugin|HTTP|curl/);
    });
  }

  it('has a value for each that is now, also of one millisecond, and those of a body at one time', async () => {
    const values = Array.from({ length: 50 }, (_, i) => i);
    const at = (value: number) =>
      send(service.url, '/collectd', { body: `PUTVAL fast/a/g N:${value}\nPUTVAL fast/a/h N:${value}` });
    for (const { status } of await Promise.all(values.map(at))) assert.equal(status, 200);
    const body = JSON.stringify({
      ...{ topic: 'collectd', streamIds: ['fast'] },
      numericParameters: [{ parameterName: 'a.g' }, { parameterName: 'a.h' }],
    });
    const { numericValues } = (await send(service.url, '/parameters/data', { body })).json<{
      numericValues: Record<string, number[]>;
    }>();
    assert.deepEqual(numericValues['a.h'], numericValues['a.g']);
    assert.deepEqual(
      numericValues['a.g']!.toSorted((a, b) => a - b),
      values,
    );
  });

  it('is told what is wrong, and asked for its password', async () => {
    const body = 'PUTVAL h/p/t 1:1\nPUTVAL h/p/t 2:x\n';
    const post = (token?: null) =>
      send(service.url, '/collectd', {
        body,
        headers: { 'content-type': undefined },
        ...(token === null && { token }),
      });
    const reply = await post();
    assert.deepEqual(
      [reply.status, reply.text],
      [400, '1 values were not written, 1 were: line 2 has a value that is no number: "x"\n'],
    );
    const stranger = await post(null);
    assert.deepEqual(
      [stranger.status, stranger.headers['www-authenticate']],
      [401, 'Basic realm="Pitwall", charset="UTF-8", Bearer'],
    );
    const { text } = await send(service.url, '/metrics');
    assert.match(text, /pitwall_door_rows_total\{door="collectd"\} [1-9]/);
  });
});
