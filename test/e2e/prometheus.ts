import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { endWithTests } from '../end-with-tests.ts';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';
import { temporaryFolder } from './service.ts';

/** Why tests cannot run Prometheus itself; false where it is there. */
export const prometheusMissing: false | string =
  spawnSync('prometheus', ['--version']).status === 0
    ? false
    : "prometheus is not installed ('apt-get install prometheus')";

export interface RunningPrometheus {
  readonly url: string;
  /** The samples that a selector with a range finds, by time in ms. */
  samples(selector: string): Promise<{ metric: Record<string, string>; values: [number, string][] }[]>;
}

/** Prometheus of this configuration (YAML), at a free port, with a folder of its own. */
export async function startPrometheus(configuration: string): Promise<RunningPrometheus> {
  const folder = temporaryFolder();
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, configuration);
  const address = `127.0.0.1:${await freePort()}`;
  const child = endWithTests(
    spawn(
      'prometheus',
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        '--log.level=warn',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    ),
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const url = `http://${address}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`prometheus ended: ${said}`);
    return (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok;
  });
  return {
    url,
    async samples(selector) {
      const reply = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(selector)}`);
      return ((await reply.json()) as { data: { result: [] } }).data.result;
    },
  };
}

/** Something to scrape, whose text may change. Gives its address. */
export async function startTarget(text: () => string | undefined): Promise<string> {
  const server = createServer((_, response) => {
    const given = text();
    response.statusCode = given === undefined ? 500 : 200;
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(given ?? '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
