import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';
import { writeRequests } from './samples.ts';

export interface RealPrometheus {
  readonly url: string;
  stop(): void;
}

/** Prometheus itself, at a free port, with the samples of the tests. Nothing is scraped. */
export async function startReal(): Promise<RealPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-promql-'));
  writeFileSync(join(folder, 'prometheus.yml'), 'global: {}\n');
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn('prometheus', [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--storage.tsdb.retention.time=100y',
    '--web.enable-remote-write-receiver',
    `--web.listen-address=${address}`,
    '--log.level=warn',
  ]);
  const url = `http://${address}`;
  const stop = (): void => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  await until(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok);
  await writeAll(url, {});
  return { url, stop };
}

/** Writes the samples of the tests by remote write. */
export async function writeAll(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  for (const body of writeRequests()) {
    const reply = await fetch(`${url}/api/v1/write`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: {
        'content-encoding': 'snappy',
        'content-type': 'application/x-protobuf',
        'x-prometheus-remote-write-version': '0.1.0',
        ...headers,
      },
    });
    if (!reply.ok) throw new Error(`remote write: ${reply.status} ${await reply.text()}`);
  }
}
