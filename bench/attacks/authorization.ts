import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';

const clients = 16;
/** Just below what the parser takes for all headers. */
const headerBytes = 120_000;

/** Sends Authorization headers as long as they may be, each another one. Gives how many were refused. */
export async function authorization(port: number, signal: AbortSignal): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const filling = randomBytes(headerBytes / 2).toString('hex');
  let refused = 0;
  let number = 0;
  const ask = (): Promise<void> =>
    new Promise((resolve) => {
      const headers = { Authorization: `Bearer ${number++}${filling}`, 'Content-Length': 0 };
      request({ host: '127.0.0.1', port, method: 'POST', path: '/streams', agent, headers }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 401) refused++;
          resolve();
        });
      })
        .on('error', () => resolve())
        .end();
    });
  const run = async (): Promise<void> => {
    while (!signal.aborted) await ask();
  };
  await Promise.all(Array.from({ length: clients }, run));
  agent.destroy();
  return `${refused} headers refused`;
}
