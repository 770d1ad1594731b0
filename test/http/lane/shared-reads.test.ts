import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { takeReads } from '../../../src/http/lane/shared-reads.ts';
import { until } from '../../until.ts';

/** Both ends of a connection: that of the server, whose reads are taken, and its client. */
async function connected(t: TestContext) {
  const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay();
  const [socket] = (await once(server, 'connection')) as [Socket];
  t.after(() => client.destroy());
  t.after(() => socket.destroy());
  const chunks: Buffer[] = [];
  const giveBack = takeReads(socket, (chunk) => chunks.push(chunk));
  return { socket, client, chunks, giveBack };
}

const textOf = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString();

describe('reads into a shared buffer', () => {
  it('gives chunks that stay as they are, which stand one after the other', async (t) => {
    const one = await connected(t);
    const other = await connected(t);
    one.client.write('first');
    await until(() => textOf(one.chunks) === 'first');
    other.client.write('second');
    await until(() => textOf(other.chunks) === 'second');
    one.client.write(Buffer.alloc(20_000, 'x'));
    await until(() => textOf(one.chunks).length === 20_005);
    assert.equal(one.chunks[0]!.toString(), 'first');
    assert.equal(textOf(other.chunks), 'second');
    // Node has a way to share the buffer: each chunk would have memory of its own otherwise.
    assert.equal(one.chunks[0]!.buffer, other.chunks[0]!.buffer);
  });

  it('gives back the reads: what comes then is data of the socket', async (t) => {
    const { socket, client, chunks, giveBack } = await connected(t);
    client.write('mine');
    await until(() => textOf(chunks) === 'mine');
    giveBack();
    const data: Buffer[] = [];
    socket.on('data', (chunk) => data.push(chunk));
    client.write('yours');
    await until(() => textOf(data) === 'yours');
    client.end(Buffer.alloc(300_000, 'y'));
    await once(socket, 'end');
    assert.equal(textOf(data), `yours${'y'.repeat(300_000)}`);
    assert.equal(textOf(chunks), 'mine');
  });

  it('gives what was put back to whoever takes the reads of a connection again', async (t) => {
    const { socket, client, chunks, giveBack } = await connected(t);
    client.write('first');
    await until(() => textOf(chunks) === 'first');
    giveBack();
    socket.unshift(Buffer.from('put back, '));
    const again: Buffer[] = [];
    takeReads(socket, (chunk) => again.push(chunk));
    socket.resume();
    client.write('then read');
    await until(() => textOf(again) === 'put back, then read');
    assert.equal(textOf(chunks), 'first');
  });

  it('reads no more while the socket is paused, before and after', async (t) => {
    const { socket, client, chunks, giveBack } = await connected(t);
    const bytes = 64 * 1024 * 1024;
    client.write(Buffer.alloc(bytes));
    await until(() => chunks.length > 0);
    socket.pause();
    const paused = socket.bytesRead;
    giveBack();
    let came = paused;
    socket.on('data', ({ length }) => {
      came += length;
    });
    assert.equal(socket.bytesRead, paused);
    socket.resume();
    await until(() => came > paused);
    socket.pause();
    await until(() => client.writableLength > 0);
    assert.ok(came < bytes);
    socket.resume();
    await until(() => came === bytes);
  });

  it('tells of an end and of a connection that is cut', async (t) => {
    const ended = await connected(t);
    ended.client.end('all');
    await once(ended.socket, 'end');
    assert.equal(textOf(ended.chunks), 'all');
    const cut = await connected(t);
    cut.client.resetAndDestroy();
    const [error] = (await once(cut.socket, 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNRESET');
    assert.ok(cut.socket.destroyed);
  });
});
