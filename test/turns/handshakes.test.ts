import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, it } from 'node:test';
import { connect as connectTls, createServer } from 'node:tls';
import { agreeInSlices } from '../../src/turns/handshakes.ts';
import { createSlices } from '../../src/turns/slices.ts';
import { makeCertificate, opensslMissing } from '../certificate.ts';
import { storeFolder } from '../store/embedded/store-folder.ts';
import { until } from '../until.ts';

const folder = storeFolder('handshakes');
const many = 60;

/** What a client says first. */
async function firstWords(): Promise<Buffer> {
  return new Promise((resolve) => {
    const through = new Duplex({ read() {}, write: (chunk: Buffer) => resolve(Buffer.from(chunk)) });
    connectTls({ socket: through }).on('error', () => undefined);
  });
}

describe('handshakes of TLS', { skip: opensslMissing }, () => {
  it('are begun in slices when very many clients ask at once, and all of them are', async () => {
    const { cert, key } = makeCertificate(folder.root);
    const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) });
    let time = 0;
    let turns = 0;
    const inTurn = new Map<number, number>();
    // Each takes half a slice.
    server.prependListener('connection', () => {
      time += 2;
      inTurn.set(turns, (inTurn.get(turns) ?? 0) + 1);
    });
    const options = { silenceMs: 3_600_000, onSilent: () => undefined };
    agreeInSlices(
      server,
      options,
      createSlices('test', 4, () => time),
    );
    let taken = 0;
    server.on('connection', () => taken++).on('tlsClientError', () => undefined);
    server.on('secureConnection', (socket) => socket.end('hello'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const count = (): void => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const clients: Socket[] = [];
    try {
      for (let i = 0; i < many; i++) clients.push(connect(port, '127.0.0.1').on('error', () => undefined));
      await until(() => taken === many);
      assert.equal(inTurn.size, 0);
      const words = await firstWords();
      const answers = clients.map((client) => once(client, 'data'));
      for (const client of clients) client.write(words);
      await Promise.all(answers);
      assert.equal(
        [...inTurn.values()].reduce((sum, one) => sum + one, 0),
        many,
      );
      assert.ok(Math.max(...inTurn.values()) <= 3, `${Math.max(...inTurn.values())} in a turn`);
      const whole = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
      clients.push(whole);
      const [said] = (await once(whole, 'data')) as [Buffer];
      assert.equal(String(said), 'hello');
    } finally {
      clearImmediate(counting);
      for (const client of clients) client.destroy();
      server.close();
    }
  });

  it('closes a connection that says nothing, or ends before it does', async () => {
    for (const [silenceMs, told] of [
      [1, 1],
      [3_600_000, 0],
    ] as const) {
      const server = createServer({});
      let silent = 0;
      agreeInSlices(server, { silenceMs, onSilent: () => silent++ });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
      if (told === 0) client.end();
      await once(client, 'close');
      assert.equal(silent, told);
      server.close();
      await once(server, 'close');
    }
  });
});
