import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { constants, createGzip } from 'node:zlib';
import { openRawClient, type RawClient } from '../http/raw-client.ts';
import { until } from '../until.ts';
import { adminToken, type RunningService, send, startService } from './service.ts';

const largest = 32 * 1024 * 1024;
const rows = '{"timestamps":[1],"numericValues":{"a":[1]}}';
const data = '/topics/t/streams/s/parameters/data';

/** Announces a body; what follows of it is up to the test. */
async function begin(
  { url }: RunningService,
  token: string,
  headers: string,
  line = `POST ${data}`,
): Promise<RawClient> {
  const client = await openRawClient(url);
  client.socket.write(
    `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`,
  );
  return client;
}

async function tokenOf({ url }: RunningService, workspace: string): Promise<string> {
  await send(url, '/admin/workspaces', { body: JSON.stringify({ name: workspace }) });
  const body = JSON.stringify({ workspace, scopes: ['read', 'write'] });
  return (await send(url, '/admin/tokens', { body })).json<{ token: string }>().token;
}

async function inFlight({ url }: RunningService): Promise<number> {
  const { text } = await send(url, '/metrics');
  return Number(/^pitwall_in_flight_bytes (\d+)$/m.exec(text)![1]);
}

describe('bodies that are announced and held back', async () => {
  const service = await startService();
  const attacker = await tokenOf(service, 'attack');
  const sameHouse = await tokenOf(service, 'attack');
  const write = (token: string) => send(service.url, data, { body: rows, token });

  it('take no memory before they come', async () => {
    const clients = await Promise.all(
      Array.from({ length: 8 }, () => begin(service, attacker, `Content-Length: ${largest}`)),
    );
    for (const { socket } of clients) socket.write(' '.repeat(1000));
    await until(async () => (await inFlight(service)) >= 8000);
    assert.ok((await inFlight(service)) < 1024 * 1024);
    const replies = await Promise.all([write(adminToken), write(sameHouse), write(attacker)]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    );
    for (const { socket } of clients) socket.destroy();
    await until(async () => (await inFlight(service)) === 0);
  });

  it('leave others room when they come nearly whole', async () => {
    const nearlyAll = Buffer.alloc(largest - 1000, ' ');
    const clients = await Promise.all(
      Array.from({ length: 8 }, () => begin(service, attacker, `Content-Length: ${largest}`)),
    );
    const answers = clients.map(({ answer }) => answer());
    for (const { socket } of clients) socket.write(nearlyAll);
    // Some are refused, and the others stay.
    await Promise.any(answers).then((answer) => assert.match(answer, /^HTTP\/1.1 503 /));
    await until(async () => (await inFlight(service)) > 150 * 1024 * 1024);
    for (const token of [adminToken, sameHouse]) {
      const reply = await write(token);
      assert.equal(reply.status, 200, reply.text);
    }
    // The largest body of somebody else, too.
    const large = Buffer.concat([Buffer.from(rows), Buffer.alloc(largest - rows.length, ' ')]);
    assert.equal((await send(service.url, data, { body: large })).status, 200);
    for (const { socket } of clients) socket.destroy();
    await Promise.allSettled(answers);
    await until(async () => (await inFlight(service)) === 0);
  });

  it('are given up when they pass the limit in tiny chunks, and others are served meanwhile', async () => {
    const client = await begin(service, attacker, 'Transfer-Encoding: chunked', 'POST /streams');
    const chunks = Buffer.from('4\r\n    \r\n'.repeat(1_100_000));
    client.socket.write(chunks);
    assert.equal((await write(sameHouse)).status, 200);
    assert.match(await client.answer(), /^HTTP\/1.1 413 /);
    client.socket.destroy();
    await until(async () => (await inFlight(service)) === 0);
  });
});

describe('a body beyond the limit of its route', async () => {
  const service = await startService();
  const lines = [
    ['POST /streams', 4 * 1024 * 1024, 'a query or filter'],
    ['DELETE /parameters/data', 4 * 1024 * 1024, 'a query or filter'],
    ['PUT /topics/t/streams/s', 256 * 1024, 'a body of settings or properties'],
    ['POST /query', 256 * 1024, 'a body of settings or properties'],
  ] as const;

  it('is refused before any of it comes, where its length is announced', async () => {
    for (const [line, limit, what] of lines) {
      const client = await begin(service, adminToken, `Content-Length: ${limit + 1}`, line);
      const answer = await client.answer();
      assert.match(answer, /^HTTP\/1.1 413 /, line);
      assert.ok(answer.includes(`${what} may have ${limit} bytes at most, decompressed`), answer);
      client.socket.destroy();
    }
  });

  it('is refused as soon as it passes the limit, where it is not', async () => {
    for (const [line, limit] of lines) {
      const client = await begin(service, adminToken, 'Transfer-Encoding: chunked', line);
      client.socket.write(`${(limit + 1).toString(16)}\r\n${' '.repeat(limit + 1)}`);
      assert.match(await client.answer(), /^HTTP\/1.1 413 /, line);
      client.socket.destroy();
    }
  });

  it('is refused while it is decompressed', async () => {
    for (const [line, limit] of lines) {
      const headers = 'Content-Encoding: gzip\r\nTransfer-Encoding: chunked';
      const client = await begin(service, adminToken, headers, line);
      const gzip = createGzip();
      gzip.on('data', (chunk: Buffer) => {
        client.socket.write(`${chunk.length.toString(16)}\r\n`);
        client.socket.write(chunk);
        client.socket.write('\r\n');
      });
      // There would be more, but nobody waits for it.
      gzip.write(Buffer.alloc(limit + 100_000, ' '));
      gzip.flush(constants.Z_SYNC_FLUSH);
      assert.match(await client.answer(), /^HTTP\/1.1 413 /, line);
      client.socket.destroy();
      gzip.close();
    }
  });
});

describe('a body that comes slowly', async () => {
  const service = await startService({ args: ['--min-body-rate=1KiB', '--body-grace=500ms'] });

  const slowBodies = async (): Promise<number> => {
    const { text } = await send(service.url, '/metrics');
    return Number(/^pitwall_slow_bodies_total (\d+)$/m.exec(text)![1]);
  };

  it('is given up with 408, counted, and the log says so', async () => {
    for (const [i, headers] of [
      'Content-Length: 100000',
      'Transfer-Encoding: chunked',
      'Content-Encoding: gzip\r\nTransfer-Encoding: chunked',
    ].entries()) {
      const client = await begin(service, adminToken, headers);
      const answer = await client.answer();
      assert.match(answer, /^HTTP\/1.1 408 /, headers);
      assert.match(answer, /"code":"request_timeout"/);
      assert.match(answer, /the body comes too slowly: it must bring 1024 bytes a second, over any 0.5 s/);
      assert.match(answer, /connection: close/i);
      await client.rest();
      assert.equal(await slowBodies(), i + 1);
    }
    assert.equal(service.stderr().match(/bodies came too slowly/g)?.length, 1);
  });

  it('is given up with 503 in the line protocol, whose clients throw away what gets 408', async () => {
    for (const line of ['POST /write?db=t', 'POST /api/v2/write?bucket=t', 'POST /api/v3/write_lp?db=t']) {
      const client = await begin(service, adminToken, 'Content-Length: 100000', line);
      const answer = await client.answer();
      assert.match(answer, /^HTTP\/1.1 503 /, line);
      assert.match(answer, /the body comes too slowly/, line);
      assert.match(answer, /connection: close/i, line);
      await client.rest();
    }
  });

  it('is given up where it began fast', async () => {
    const client = await begin(service, adminToken, 'Content-Length: 1000000');
    client.socket.write(Buffer.alloc(900_000, ' '));
    assert.match(await client.answer(), /^HTTP\/1.1 408 /);
  });

  it('is taken where it keeps the rate', async () => {
    // Spans so long that a busy machine brings some bytes in each, of which one is enough.
    const patient = await startService({ args: ['--min-body-rate=1', '--body-grace=2s'] });
    const body = `${rows}${' '.repeat(8000)}`;
    const client = await begin(patient, adminToken, `Content-Length: ${body.length}`);
    for (let at = 0; at < body.length; at += 200) {
      client.socket.write(body.slice(at, at + 200));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.match(await client.answer(), /^HTTP\/1.1 200 /);
  });
});
