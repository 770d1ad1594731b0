import { Agent, get } from 'node:http';
import { type Attack, again } from './attack.ts';

const clients = 32;
const paths = ['/docs', '/openapi.json', '/docs/swagger-ui-bundle.js', '/'];

/** Point 5: files that need no token, compressed. */
export const docs: Attack = {
  name: 'docs',
  title: 'thirty-two clients that ask for documents and the page, compressed, over and over',
  async run({ port }) {
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    let next = 0;
    await again(
      clients,
      () =>
        new Promise((resolve) => {
          const path = paths[next++ % paths.length]!;
          const headers = { 'Accept-Encoding': 'br' };
          get({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
            response.resume().on('close', resolve);
          }).on('error', () => resolve());
        }),
    );
  },
};
