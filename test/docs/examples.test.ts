import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken, type Finished, startService, temporaryFolder } from '../e2e/service.ts';
import { endWithTests } from '../end-with-tests.ts';
import { root } from '../root.ts';

describe('the examples', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });

  const start = (name: string, args: readonly string[], service = url) => {
    const child = endWithTests(
      spawn(process.execPath, [join(root, 'examples', name), ...args], {
        env: { PATH: process.env['PATH'], PITWALL_URL: service, PITWALL_TOKEN: adminToken },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    after(() => child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const finished = once(child, 'close').then(
      ([code]): Finished => ({ code: code as number | null, stdout, stderr }),
    );
    return { child, finished, stdout: () => stdout };
  };
  const run = (name: string, ...args: string[]): Promise<Finished> => start(name, args).finished;

  it('are all run here', () => {
    const programs = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.js'));
    assert.deepEqual(programs.sort(), ['follow.js', 'import-csv.js', 'read.js', 'write.js']);
  });

  it('have types that hold', () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const checked = spawnSync(process.execPath, [compiler, '-p', join(root, 'examples')], {
      encoding: 'utf8',
    });
    assert.equal(checked.status, 0, checked.stdout);
  });

  it('write a sensor, then read it by the second', async () => {
    const early = await run('read.js');
    assert.equal(early.code, 1);
    assert.match(early.stderr, /there is nothing yet/);

    assert.deepEqual(await run('write.js', '1200'), {
      code: 0,
      stdout: '1200 rows are written and synced\n',
      stderr: '',
    });
    const [stream] = await client.streams({ streamIds: ['sensor-1'] });
    assert.equal(stream!.dataEnd! - stream!.dataStart!, 1199n * 10_000_000n);
    assert.deepEqual([stream!.status, stream!.location], ['Closed', '/house/cellar']);

    const { code, stdout, stderr } = await run('read.js');
    assert.equal(code, 0, stderr);
    const counts = [...stdout.matchAll(/ °C of (\d+) rows$/gm)].map(([, count]) => Number(count));
    assert.ok(counts.length >= 12);
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      1200,
    );
    assert.match(stdout, / heating [\s\S]* holding /);
  });

  it('follow what is written', async () => {
    const { child, finished, stdout } = start('follow.js', ['rig', '3']);
    while (!stdout().includes('connected')) await once(child.stdout, 'data');
    await client.writeParameterData('rig', 'one', {
      timestamps: [1n, 2n, 1_700_000_000_000_000_003n],
      numericValues: { Load: [0.5, 1.5, 2.5] },
    });
    const { code, stderr } = await finished;
    assert.equal(code, 0, stderr);
    assert.equal(
      stdout(),
      'connected\none 1 Load=0.5\none 2 Load=1.5\none 1700000000000000003 Load=2.5\nnot connected\n',
    );
  });

  it('end the following on a signal', async () => {
    const { child, finished, stdout } = start('follow.js', []);
    while (!stdout().includes('connected')) await once(child.stdout, 'data');
    child.kill('SIGINT');
    assert.equal((await finished).code, 0);
  });

  it('read what was written while the service could not be reached', async () => {
    const dataDir = temporaryFolder();
    const first = await startService({ dataDir });
    const listen = first.url.replace('http://', '');
    const follower = start('follow.js', ['rig'], first.url);
    const shown = async (text: string) => {
      while (!follower.stdout().includes(text)) await once(follower.child.stdout, 'data');
    };
    const write = (timestamp: bigint, service: string) =>
      createClient({ url: service, token: adminToken }).writeParameterData('rig', 'one', {
        timestamps: [timestamp],
        numericValues: { Load: [0.5] },
      });
    await shown('connected');
    await write(1n, first.url);
    await shown('one 1 Load=0.5');
    await first.stop('SIGKILL');
    await shown('not connected');
    const elsewhere = await startService({ dataDir });
    await write(2n, elsewhere.url);
    await elsewhere.stop();
    await startService({ dataDir, args: ['--listen', listen] });
    await shown('one 2 Load=0.5');
    follower.child.kill('SIGINT');
    assert.equal((await follower.finished).code, 0);
  });

  it("import a logger's CSV to the nanosecond, and again", async () => {
    for (let time = 0; time < 2; time++) {
      const { code, stderr, stdout } = await run('import-csv.js', join(root, 'examples/logger.csv'));
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^3 rows of .*logger\.csv are in logger\/logger\n$/);
    }
    const data = await client.query({
      streamIds: ['logger'],
      numericParameters: [{ parameterName: 'Drehzahl' }, { parameterName: 'Öltemperatur' }],
    });
    assert.deepEqual(data.timestamps, [1612191099000000001n, 1612191099010000000n, 1612191099020000000n]);
    assert.deepEqual(data.numericValues, {
      Drehzahl: [11250, 11310.5, 11342],
      Öltemperatur: [98.5, null, 98.75],
    });
    const [definition] = await client.parameters({ streamIds: ['logger'], parameterIds: ['Öltemperatur'] });
    assert.equal(definition!.unit, '°C');
  });

  it('name the line of a CSV file that is wrong', async () => {
    const file = join(temporaryFolder(), 'ragged.csv');
    for (const [rows, message] of [
      ['2021-02-01 14:51:39,0;1\n2021-02-01 14:51:40,0', /ragged\.csv:3: 1 cells, the head has 2/],
      ['yesterday;1', /ragged\.csv:2: yesterday is no time/],
      ['2021-02-01 14:51:39,0;many', /ragged\.csv:2: many is no number/],
    ] as const) {
      writeFileSync(file, `Zeit;n [1]\n${rows}\n`);
      const { code, stderr } = await run('import-csv.js', file);
      assert.equal(code, 1);
      assert.match(stderr, message);
    }
  });
});
