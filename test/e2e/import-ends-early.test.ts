import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { adminToken, launch, run, send, startService, temporaryFolder } from './service.ts';

const { url } = await startService();
const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
const runs = 400;

/** Times that begin anew again and again, so that very many streams are described before the first row is sent. */
const path = join(temporaryFolder(), 'runs.csv');
const rows = Array.from({ length: runs * 10 }, (_, i) => `${(i % 10) / 10},${i}`);
writeFileSync(path, `Driver: A\n\nTime [s],Speed [km/h]\n${rows.join('\n')}\n`);

async function streamsOf(topic: string): Promise<number> {
  return (await send(url, '/streams', { body: JSON.stringify({ topic }) })).json<unknown[]>().length;
}

describe('an import that ends before its first row', () => {
  const argsOf = (topic: string) => [
    ...['import', path, '--topic', topic, '--stream', 'run'],
    ...['--start', '2026-05-08T14:03:10Z', '--restarts', 'streams'],
  ];

  it('says what it has written of streams, where one ends it', async () => {
    const { child, finished } = launch(argsOf('ended'), env);
    await until(async () => (await streamsOf('ended')) > 0);
    child.kill('SIGINT');
    const { code, stderr } = await finished;
    assert.equal(code, 1, stderr);
    const told =
      /interrupted \(no row is in, but what the file says of (\d+) streams?(?: and \d+ definitions?)?\)\n$/;
    const [, described] = told.exec(stderr) ?? [];
    assert.equal(await streamsOf('ended'), Number(described), stderr);
    assert.ok(Number(described) < runs);
  });

  it('says so where the service refuses what it sends', async () => {
    const wide = join(temporaryFolder(), 'wide.csv');
    writeFileSync(wide, `Driver: A\n\nTime [s],Speed,Note\n0.1,1,${'x'.repeat(70_000)}\n0.2,2,b\n`);
    const args = ['import', wide, '--topic', 'refused', '--stream', 'run', '--start', '2026-05-08T14:03:10Z'];
    const { code, stderr } = await run([...args, '--texts', 'Note'], env);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /400 .*has 70000 bytes.*, among the rows 1 to 2 \(no row is in, but what the file says of 1 stream\)\n$/,
    );
  });
});
