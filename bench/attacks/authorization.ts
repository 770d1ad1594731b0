import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { type Attack, again } from './attack.ts';

const clients = 16;
/** Just below what the parser takes for all headers. */
const headerBytes = 120_000;

/** The same with what is remembered of headers. */
export const authorization: Attack = {
  name: 'authorization',
  title: 'sixteen clients that send Authorization headers as long as they may be, each another one',
  async run({ port }) {
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    const filling = randomBytes(headerBytes / 2).toString('hex');
    let number = 0;
    await again(
      clients,
      () =>
        new Promise((resolve) => {
          const headers = { Authorization: `Bearer ${number++}${filling}`, 'Content-Length': 0 };
          const options = { host: '127.0.0.1', port, method: 'POST', path: '/streams', agent, headers };
          request(options, (response) => response.resume().on('close', resolve))
            .on('error', () => resolve())
            .end();
        }),
    );
  },
};
