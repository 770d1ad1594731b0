import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { adminToken, run, send, startService, temporaryFolder } from './service.ts';

const { url } = await startService();
const folder = temporaryFolder();
const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
const start = 1_612_191_099_000_000_000n;

interface Answer {
  readonly timestamps: string[];
  readonly numericValues: Record<string, (number | null)[]>;
  readonly stringValues: Record<string, (string | null)[]>;
}

function file(name: string, bytes: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

async function read(streamId: string, numbers: string[], texts: string[] = []): Promise<Answer> {
  const named = (names: string[]) => names.map((parameterName) => ({ parameterName }));
  const body = JSON.stringify({
    streamIds: [streamId],
    numericParameters: named(numbers),
    stringParameters: named(texts),
  });
  return (await send(url, '/parameters/data?int64=string', { body })).json<Answer>();
}

async function load(path: string, stream: string, ...args: string[]): Promise<string> {
  const done = await run(['import', path, '--topic', 'tables', '--stream', stream, ...args], env);
  assert.equal(done.code, 0, done.stderr);
  return done.stdout;
}

async function refused(path: string, message: RegExp, code: number, ...args: string[]): Promise<void> {
  const done = await run(['import', path, '--topic', 'tables', '--stream', 'refused', ...args], env);
  assert.deepEqual([done.code, done.stdout], [code, ''], done.stderr);
  assert.match(done.stderr, message);
}

const lines = [0, 1, 2]
  .map((i) => `{"Timestamp":${start + BigInt(i)},"v":${i / 2},"pos":{"x":${i}}}`)
  .join('\n');
const csv = `Timestamp,v,unwanted\n${[0, 1, 2].map((i) => `${start + BigInt(i)},${i / 2},${i}`).join('\n')}\n`;
const times = [0n, 1n, 2n].map((i) => String(start + i));

describe('importing tables', () => {
  it('reads lines of JSON and text that are packed, and leaves out what it is told to', async () => {
    assert.match(
      await load(file('a.ndjson.gz', gzipSync(lines)), 'lines'),
      /times of Timestamp, nanoseconds since 1970/,
    );
    assert.deepEqual(
      await read('lines', ['v', 'pos.x']).then(({ timestamps, numericValues }) => [
        timestamps,
        numericValues,
      ]),
      [times, { v: [0, 0.5, 1], 'pos.x': [0, 1, 2] }],
    );
    assert.match(
      await load(file('a.jsonl', lines), 'skipped', '--skip', 'pos'),
      /left out, as you say: pos;/,
    );
    assert.match(
      await load(file('a.CSV.gz', gzipSync(csv)), 'csv', '--skip', 'unwanted'),
      /left out, as you say: unwanted/,
    );
    assert.deepEqual((await read('csv', ['v'])).numericValues, { v: [0, 0.5, 1] });
    assert.equal(
      (await send(url, '/streams', { body: '{"streamIds":["csv"]}' })).text.includes('unwanted'),
      false,
    );
  });

  it('sends nothing of a packed file that is damaged, or of a kind that is read from any place', async () => {
    const packed = gzipSync(csv);
    packed[packed.length - 5]! ^= 1;
    await refused(
      file('b.csv.gz', packed),
      /b\.csv\.gz: it cannot be unpacked as gzip: its checksum is another one/,
      1,
    );
    await refused(file('c.csv.gz', csv), /c\.csv\.gz: it cannot be unpacked as gzip: invalid gzip data/, 1);
    await refused(file('d.csv.zst', csv), /d\.csv\.zst: byte 0: this is no zstd frame/, 1);
    await refused(
      file('e.parquet.gz', packed),
      /e\.parquet\.gz ends in none of .* \(packed files are read of text, JSON, positions and CAN logs only\)/,
      2,
    );
    assert.equal((await send(url, '/streams', { body: '{"streamIds":["refused"]}' })).text, '[]');
  });

  it('reads what export writes as Arrow', async () => {
    await load(file('f.json', `[${lines.replaceAll('\n', ',')}]`), 'first');
    const path = join(folder, 'f.arrow');
    const exported = await run(['export', '--topic', 'tables', '--stream', 'first', '--out', path], env);
    assert.equal(exported.code, 0, exported.stderr);
    await load(path, 'again');
    assert.deepEqual(await read('again', ['v', 'pos.x']), await read('first', ['v', 'pos.x']));
  });

  it('keeps the digits of decimals, and asks for the unit of times', async () => {
    const path = join(folder, 'g.parquet');
    const duckdb = await (await DuckDBInstance.create()).connect();
    await duckdb.run(
      `COPY (SELECT 1612191099 + i AS t, 95524766045192.25::DECIMAL(18, 2) AS price, TIME '14:51:39' AS clock FROM range(2) t(i)) TO '${path}' (FORMAT parquet)`,
    );
    duckdb.closeSync();
    await refused(
      path,
      /t .* look like seconds since 1970.*--time-format s confirms it/,
      1,
      '--timestamp',
      't',
    );
    await refused(path, /--time-format is one of/, 2, '--timestamp', 't', '--time-format', 'fortnights');
    assert.match(
      await load(path, 'decimals', '--timestamp', 't', '--time-format', 's'),
      /times of t, seconds since 1970/,
    );
    assert.deepEqual(
      await read('decimals', ['price'], ['clock']).then(({ timestamps, numericValues, stringValues }) => [
        timestamps,
        numericValues,
        stringValues,
      ]),
      [
        [String(start), String(start + 1_000_000_000n)],
        { price: [95_524_766_045_192.25, 95_524_766_045_192.25] },
        { clock: ['14:51:39.000000000', '14:51:39.000000000'] },
      ],
    );
  });
});
