import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/free-port.ts';
import { type Payload, parameterName } from './data.ts';
import { openConnection, request } from './driver.ts';
import { cpuSecondsOf, killProcess, memoryOf, peakMemoryOf, type System, stopProcess } from './system.ts';

/** How rows reach VictoriaMetrics: Influx lines, or its own JSON lines. */
export type Format = 'influx' | 'import';

/** The program's path from VICTORIA_METRICS or the search path; undefined where there is none. */
export function findVictoriaMetrics(): string | undefined {
  const named = process.env['VICTORIA_METRICS'];
  if (named !== undefined) return named;
  try {
    return execFileSync('which', ['victoria-metrics'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

export async function startVictoriaMetrics(
  program: string,
  directory: string,
  format: Format,
): Promise<System> {
  const port = await freePort();
  const data = join(directory, 'victoria-metrics');
  const args = [
    `-storageDataPath=${data}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=100y',
    '-loggerLevel=ERROR',
    // Else it ends a connection after two minutes.
    '-http.connTimeout=24h',
  ];
  const begin = () => spawn(program, args, { stdio: 'ignore' });
  let child = begin();
  await untilReady(port, child);
  const get = async (path: string) => {
    const connection = await openConnection(port);
    const answer = await connection.send(request('GET', path, {}, Buffer.alloc(0)));
    connection.close();
    return answer;
  };
  return {
    name: `VictoriaMetrics (${format})`,
    port,
    writeRequest: format === 'influx' ? influxRequest : importRequest,
    readRequest(stream, parameter, fromMs, toMs) {
      const metric = format === 'influx' ? `m_${parameter}` : parameter;
      const match = encodeURIComponent(`${metric}{stream="${stream}"}`);
      const path = `/api/v1/export?match[]=${match}&start=${fromMs / 1000}&end=${toMs / 1000}`;
      return request('GET', path, {}, Buffer.alloc(0));
    },
    readValues(answer) {
      const lines = answer.toString().trim().split('\n').filter(Boolean);
      return lines.flatMap((line) => (JSON.parse(line) as { values: number[] }).values);
    },
    async settle() {
      await get('/internal/force_flush');
    },
    async diskBytes() {
      await get('/internal/force_flush');
      await get('/internal/force_merge');
      for (let before = -1, same = 0; same < 8; ) {
        await sleep(500);
        const now = diskUsage(data);
        same = now === before ? same + 1 : 0;
        before = now;
      }
      return diskUsage(data);
    },
    cpuSeconds: () => cpuSecondsOf(child),
    memory: () => memoryOf(child),
    peakMemory: () => peakMemoryOf(child),
    async restart(end = killProcess) {
      await end(child);
      const start = performance.now();
      child = begin();
      await untilReady(port, child, 5);
      return (performance.now() - start) / 1000;
    },
    stop: () => stopProcess(child),
  };
}

function influxRequest({ stream, startMs, stepMs, firstParameter, values }: Payload): Buffer {
  const rows = values[0]!.length;
  const lines = Array.from({ length: rows }, (_, row) => {
    const fields = values.map((column, i) => `${parameterName(firstParameter + i)}=${column[row]}`).join(',');
    return `m,stream=${stream} ${fields} ${startMs + row * stepMs}000000`;
  });
  return request('POST', '/write', {}, Buffer.from(lines.join('\n')));
}

function importRequest({ stream, startMs, stepMs, firstParameter, values }: Payload): Buffer {
  const rows = values[0]!.length;
  const timestamps = Array.from({ length: rows }, (_, row) => startMs + row * stepMs).join(',');
  const lines = values.map(
    (column, i) =>
      `{"metric":{"__name__":"${parameterName(firstParameter + i)}","stream":"${stream}"},"values":[${column.join(',')}],"timestamps":[${timestamps}]}`,
  );
  return request('POST', '/api/v1/import', {}, Buffer.from(lines.join('\n')));
}

function diskUsage(folder: string): number {
  return Number(execFileSync('du', ['-s', '--block-size=1', folder], { encoding: 'utf8' }).split('\t')[0]);
}

async function untilReady(port: number, child: ChildProcess, pauseMs = 50): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += pauseMs) {
    if (child.exitCode !== null) break;
    try {
      (await openConnection(port)).close();
      return;
    } catch {
      await sleep(pauseMs);
    }
  }
  throw new Error('victoria-metrics did not start');
}
