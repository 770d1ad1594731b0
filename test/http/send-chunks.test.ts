import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { fastify } from 'fastify';
import { sendChunks } from '../../src/http/send-chunks.ts';
import type { Log } from '../../src/log.ts';

type Chunks = Parameters<typeof sendChunks>[0];

/** What a client gets of these chunks, and whether it was told that this is all. */
async function answerOf(chunks: () => Chunks): Promise<{ status: number; text: string; whole: boolean }> {
  const app = fastify();
  const log = { error() {} } as unknown as Log;
  app.get('/', (_request, reply) => sendChunks(chunks(), reply, log));
  await app.listen({ port: 0, host: '127.0.0.1' });
  after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', agent: false }, (response) => {
      let text = '';
      response.setEncoding('latin1').on('data', (more: string) => {
        text += more;
      });
      const end = () => resolve({ status: response.statusCode!, text, whole: response.complete });
      response.on('end', end).on('error', end);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const later = () => new Promise((resolve) => setImmediate(resolve));

describe('sendChunks', () => {
  it('sends chunks that are made one after another', async () => {
    const { text, whole } = await answerOf(async function* () {
      for (const word of ['one ', 'two ', 'three']) {
        await later();
        yield Buffer.from(word);
      }
    });
    assert.deepEqual([text, whole], ['one two three', true]);
  });

  it('cuts the connection where making them fails on the way, now and later', async () => {
    const large = Buffer.alloc(300_000, 'x');
    const now = await answerOf(function* () {
      yield large;
      yield large;
      throw new Error('broken');
    });
    const then = await answerOf(async function* () {
      yield large;
      await later();
      throw new Error('broken');
    });
    assert.deepEqual([now.status, now.whole, then.status, then.whole], [200, false, 200, false]);
  });

  it('answers with an error where making them fails before the first', async () => {
    const { status } = await answerOf(async function* () {
      await later();
      yield* [];
      throw new Error('broken');
    });
    assert.equal(status, 500);
  });

  it('lets the maker end when the client leaves', async () => {
    let ended = () => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const app = fastify();
    const log = { error() {} } as unknown as Log;
    app.get('/', (_request, reply) =>
      sendChunks(
        (async function* () {
          try {
            for (;;) yield Buffer.alloc(100_000);
          } finally {
            ended();
          }
        })(),
        reply,
        log,
      ),
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    after(() => app.close());
    const { port } = app.server.address() as AddressInfo;
    const outgoing = request({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.once('data', () => response.destroy());
    });
    outgoing.end();
    await end;
  });
});
