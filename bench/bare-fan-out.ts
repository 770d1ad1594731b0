import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentiles, show } from './figures.ts';

/**
 * What the machine itself takes to send one message to each of many readers: bare sockets of Node, no hub and no
 * WebSocket. The sender is a process of its own, as the service is in `bench/hub.ts`; all readers are in this one.
 */
const readers = 1000;
const everyMs = 50;
const rounds = 200;
/** As long as a package of ten rows for a reader of one parameter. */
const messageBytes = 400;

async function send(): Promise<void> {
  const sockets: Socket[] = [];
  const server = createServer({ noDelay: true }, (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send!({ port: (server.address() as AddressInfo).port });
  while (sockets.length < readers) await sleep(10);
  for (let round = 0; round < rounds; round++) {
    await sleep(everyMs);
    const message = Buffer.alloc(messageBytes);
    // The clock of the machine, which all processes share.
    message.writeBigInt64LE(process.hrtime.bigint());
    for (const socket of sockets) socket.write(message);
  }
}

async function read(): Promise<void> {
  const child = fork(import.meta.filename, ['send']);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const latencies: number[] = [];
  const sockets = Array.from({ length: readers }, () => {
    const socket = connect({ host: '127.0.0.1', port });
    return socket.on('data', (chunk) => {
      // Messages may come together.
      for (let at = 0; at < chunk.length; at += messageBytes)
        latencies.push(Number(process.hrtime.bigint() - chunk.readBigInt64LE(at)) / 1e6);
    });
  });
  while (latencies.length < readers * rounds) await sleep(10);
  for (const socket of sockets) socket.destroy();
  child.kill();
  // The code is cold in the first rounds.
  const { p50, p99 } = percentiles(Float64Array.from(latencies.slice(20 * readers)));
  console.log(`${readers} readers, a message each ${everyMs} ms: p50 ${show(p50)} ms, p99 ${show(p99)} ms`);
}

await (process.argv[2] === 'send' ? send() : read());
