import { Agent, get } from 'node:http';

const clients = 32;
const paths = ['/docs', '/openapi.json', '/docs/swagger-ui-bundle.js', '/'];

/** Asks for the files that need no token, compressed, over and over. Gives how many answers came. */
export async function docs(port: number, signal: AbortSignal): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  let answers = 0;
  const ask = (path: string): Promise<void> =>
    new Promise((resolve) => {
      const options = { host: '127.0.0.1', port, path, agent, headers: { 'Accept-Encoding': 'br' } };
      get(options, (response) => {
        response.resume().on('end', () => {
          answers++;
          resolve();
        });
      }).on('error', () => resolve());
    });
  const run = async (client: number): Promise<void> => {
    for (let i = client; !signal.aborted; i++) await ask(paths[i % paths.length]!);
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  agent.destroy();
  return `${answers} answers`;
}
