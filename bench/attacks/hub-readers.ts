import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { type Attack, again, beginPost, openHub, type Target } from './attack.ts';

const readers = 30;
const parameters = 10;
const rows = 80_000;
const topic = 'unread';

/** 9.6 MB, about: what one write has for all readers. */
function body(): Buffer {
  const timestamps = Array.from({ length: rows }, (_, row) => `16000000000${String(row).padStart(8, '0')}`);
  const columns = Array.from({ length: parameters }, (_, i) => {
    const values = Array.from({ length: rows }, (_, row) => Math.round(Math.sin(row + i) * 1e8) / 1e6);
    return `"p${i}":[${values.join()}]`;
  });
  return Buffer.from(`{"timestamps":[${timestamps.join()}],"numericValues":{${columns.join()}}}`);
}

/** Each of another selection, so that nobody shares an encoding, and then reads no more. */
async function openReader(target: Target, reader: number): Promise<WebSocket> {
  const socket = await openHub(target, 'json');
  for (let i = 0; i < parameters; i++) {
    if (((reader + 1) & (1 << (i % 5))) === 0 && i < 5) continue;
    const args = JSON.stringify([topic, '*', `p${i}`]);
    socket.send(`{"type":1,"target":"SubscribeToParameter","arguments":${args}}\u001e`);
  }
  socket.pause();
  return socket;
}

/** Who is closed comes again. */
export const hubReaders: Attack = {
  name: 'hub-readers',
  title: 'readers that do not read: 30 of the hub with 30 selections, beside writes of 9.6 MB',
  async run(target) {
    const bytes = body();
    const open = new Map<number, WebSocket>();
    await again(1, async () => {
      for (let reader = 0; reader < readers; reader++) {
        if (open.get(reader)?.readyState === 1) continue;
        open.set(reader, await openReader(target, reader));
      }
      const socket = await beginPost(target, `/topics/${topic}/streams/s/parameters/data`, [
        `Content-Length: ${bytes.length}`,
        'Connection: close',
      ]);
      socket.resume();
      socket.write(bytes);
      await once(socket, 'close');
    });
  },
};
