import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { takeEnd } from '../../src/mqtt/incoming-bytes.ts';
import { type Arrived, listenMqtt } from '../../src/mqtt/listen.ts';
import { makeCertificate, opensslMissing } from '../certificate.ts';
import { storeFolder } from '../store/embedded/store-folder.ts';
import { until } from '../until.ts';

const folder = storeFolder('mqtt-listen');

describe('an address of MQTT', () => {
  it('ends when the service stops, whatever connections do', { skip: opensslMissing }, async () => {
    const { cert, key } = makeCertificate(folder.root);
    for (const tls of [undefined, { cert: readFileSync(cert), key: readFileSync(key) }]) {
      const arrived: Arrived[] = [];
      const listener = await listenMqtt({
        host: '127.0.0.1',
        port: 0,
        tls,
        connectTimeoutMs: 3_600_000,
        maxPacketBytes: 1000,
        onArrived(one) {
          one.onConnected();
          arrived.push(one);
        },
        onSlow: () => undefined,
      });
      const { port } = new URL(listener.url);
      const open = async (): Promise<Socket> => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        await new Promise((resolve) => socket.once('connect', resolve));
        return socket;
      };
      const sockets = [await open(), await open()];
      if (tls === undefined) {
        sockets[1]!.write('x');
        await until(() => arrived.length === 1);
      }
      await listener.close();
      assert.equal(listener.server.listening, false);
      for (const socket of sockets) socket.destroy();
    }
  });

  it('ends a connection whose client does, though it has said nothing or half a login', async () => {
    const arrived: Arrived[] = [];
    const listener = await listenMqtt({
      host: '127.0.0.1',
      port: 0,
      tls: undefined,
      connectTimeoutMs: 3_600_000,
      maxPacketBytes: 1000,
      onArrived(one) {
        one.stream.resume();
        takeEnd(one.stream, () => one.stream.end());
        arrived.push(one);
      },
      onSlow: () => undefined,
    });
    const { port } = new URL(listener.url);
    for (const said of ['', 'x', 'GET / HTTP/1.1\r\n']) {
      const socket = connect(Number(port), '127.0.0.1').resume();
      socket.end(said);
      await new Promise((resolve) => socket.once('close', resolve));
    }
    assert.equal(arrived.length, 1);
    await listener.close();
  });
});
