import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack } from './attack.ts';

/** As many as are open at one time; who is closed comes again. */
const open = 2000;
const opensPerStep = 100;
const stepMs = 20;
/** A third is silent, the others send a part of a head and then a byte now and then. */
const beginnings = ['', 'GET /healthz HTTP/1.1\r\nHost: here\r\nX-Long: ', 'POST /streams HTT'];

/** The same with connections and half-sent heads. */
export const connections: Attack = {
  name: 'connections',
  title: 'two thousand connections that are silent, or send a head byte by byte',
  async run({ port }) {
    const sockets = new Set<Socket>();
    let opened = 0;
    const begin = (): void => {
      const beginning = beginnings[opened++ % beginnings.length]!;
      const socket = connect({ port, host: '127.0.0.1' });
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
      socket.resume();
      if (beginning !== '') socket.write(beginning);
    };
    for (let step = 0; ; step++) {
      for (let i = 0; i < opensPerStep && sockets.size < open; i++) begin();
      if (step % 100 === 99) for (const socket of sockets) if (socket.bytesWritten > 0) socket.write('x');
      await pause(stepMs);
    }
  },
};
