import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { PitwallError } from '../../src/errors.ts';
import { readBody } from '../../src/http/body.ts';
import { createByteBudget } from '../../src/ingest/byte-budget.ts';
import { createLeastRate } from '../../src/ingest/least-rate.ts';

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const { port } = server.address() as AddressInfo;

/** Compressed it is no smaller, and more than a decoder takes before it has to work. */
const written = randomBytes(20_000);

/** A POST whose bytes have all arrived, in two chunks, and of which nobody has read any. */
async function arrived(encoding: 'identity' | 'gzip'): Promise<IncomingMessage> {
  const bytes = encoding === 'gzip' ? gzipSync(written) : written;
  const chunks = [bytes.subarray(0, 18_000), bytes.subarray(18_000)].flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  const head =
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
    `Content-Encoding: ${encoding}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const client = connect(port, '127.0.0.1');
  client.on('error', () => {});
  client.write(Buffer.concat([Buffer.from(head), ...chunks, Buffer.from('0\r\n\r\n')]));
  const [incoming] = (await once(server, 'request')) as [IncomingMessage];
  incoming.on('error', () => {});
  while (!incoming.complete) await setImmediate();
  return incoming;
}

const rules = { maxBytes: 1_000_000, what: 'a body' };
const leastRate = createLeastRate({ bytesPerSecond: 100, graceMs: 10_000, onSlow: () => {} });
const read = (incoming: IncomingMessage): Promise<Buffer> =>
  readBody(incoming, rules, createByteBudget(1_000_000).open(), leastRate);

const isCutOff = (error: unknown): boolean =>
  error instanceof PitwallError &&
  error.code === 'bad_request' &&
  /ended inside the body/.test(error.message);

describe('a body', () => {
  for (const encoding of ['identity', 'gzip'] as const) {
    it(`is read whole (${encoding})`, async () => {
      const incoming = await arrived(encoding);
      assert.deepEqual(await read(incoming), written);
      incoming.socket.destroy();
    });

    it(`is refused where its connection was gone before it was read (${encoding})`, async () => {
      const incoming = await arrived(encoding);
      incoming.socket.destroy();
      await new Promise((resolve) => incoming.once('close', resolve));
      await assert.rejects(read(incoming), isCutOff);
    });
  }

  it('is whole or refused, as the release of Node.js has it, where its connection goes while the decoder has yet to take the rest', async () => {
    const incoming = await arrived('gzip');
    const reading = read(incoming);
    incoming.socket.destroy();
    await reading.then(
      (whole) => assert.deepEqual(whole, written),
      (error: unknown) => assert.ok(isCutOff(error), String(error)),
    );
  });
});
