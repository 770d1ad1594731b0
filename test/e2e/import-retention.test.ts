import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { adminToken, run, send, startService, temporaryFolder } from './service.ts';

const { url } = await startService();
const folder = temporaryFolder();
const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };

it('an import says how many rows are older than the retention of their topic, and does not count them', async () => {
  const settings = await send(url, '/topics/short', { method: 'PUT', body: '{"retention":"1d"}' });
  assert.equal(settings.status, 200, settings.text);
  const [old, fresh] = ['2021-02-01T14:51:39Z', new Date().toISOString()];
  const dbc = join(folder, 'a.dbc');
  writeFileSync(dbc, 'BO_ 100 M: 8 X\n SG_ a : 0|8@1+ (1,0) [0|0] "" X\n');
  for (const [name, text, more] of [
    ['a.csv', `time,v\n${old},1\n${fresh},2\n`, []],
    ['a.ndjson', `{"Timestamp":"${old}","v":1}\n{"Timestamp":"${fresh}","v":2}\n`, []],
    [
      'a.log',
      [Date.parse(old), Date.parse(fresh)]
        .map((ms) => `(${(ms / 1000).toFixed(3)}001) can0 064#0102030405060708\n`)
        .join(''),
      ['--dbc', dbc],
    ],
  ] as const) {
    const path = join(folder, name);
    writeFileSync(path, text);
    const words = ['import', path, '--topic', 'short', '--stream', name, ...more];
    const { code, stdout, stderr } = await run(words, env);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^1 rows of .* \(2 were read\): 1 are older than the retention of the topic, and were not kept; /,
    );
  }
});
