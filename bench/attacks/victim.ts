import type { ChildProcess } from 'node:child_process';
import { openConnection, request } from '../driver.ts';
import { percentiles } from '../figures.ts';
import { token } from '../pitwall.ts';
import { peakMemoryOf } from '../system.ts';

/** The service that is attacked. */
export interface Target {
  readonly child: ChildProcess;
  readonly port: number;
}

/** What somebody in another workspace noticed. */
export interface Noticed {
  readonly writes: number;
  readonly failed: number;
  /** Milliseconds from the moment at which a write was due to its answer. */
  readonly p50: number;
  readonly p99: number;
  /** Largest resident memory of the service so far, in MB. */
  readonly peakMemoryMb: number;
  /** Whether the process that was started still serves. */
  readonly isAlive: boolean;
}

const writesPerSecond = 500;
const rowsPerWrite = 10;
const connections = 32;
const workspace = 'victim';

/** Makes the workspace and a token for it. */
async function moveIn(port: number): Promise<string> {
  const admin = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const connection = await openConnection(port);
  const post = (path: string, body: object) =>
    connection.send(request('POST', path, admin, Buffer.from(JSON.stringify(body))));
  await post('/admin/workspaces', { name: workspace });
  const made = await post('/admin/tokens', { workspace, scopes: ['write'] });
  connection.close();
  return (JSON.parse(made.toString()) as { token: string }).token;
}

/**
 * Writes at a steady rate until `signal` aborts, over connections that stay open. A write is due at its time, whether
 * those before it are answered or not, so that a pause of the service shows in all that were due in it.
 */
export async function writeSteadily({ child, port }: Target, signal: AbortSignal): Promise<Noticed> {
  const own = await moveIn(port);
  const headers = { Authorization: `Bearer ${own}`, 'Content-Type': 'application/json' };
  const idle = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const waiting: number[] = [];
  const latencies: number[] = [];
  let failed = 0;
  let row = 0;

  const next = async (due: number): Promise<void> => {
    const connection = idle.pop();
    if (connection === undefined) {
      waiting.push(due);
      return;
    }
    const timestamps = Array.from({ length: rowsPerWrite }, () => row++);
    const body = JSON.stringify({ timestamps, numericValues: { Speed: timestamps } });
    const path = '/topics/victim/streams/one/parameters/data';
    try {
      await connection.send(request('POST', path, headers, Buffer.from(body)));
    } catch {
      failed++;
    }
    latencies.push(performance.now() - due);
    idle.push(connection);
    const before = waiting.shift();
    if (before !== undefined) void next(before);
  };

  const start = performance.now();
  let sent = 0;
  await new Promise<void>((resolve) => {
    const clock = setInterval(() => {
      const now = performance.now();
      for (; sent < ((now - start) / 1000) * writesPerSecond; sent++) {
        void next(start + (sent / writesPerSecond) * 1000);
      }
      if (!signal.aborted) return;
      clearInterval(clock);
      resolve();
    }, 1);
  });
  // What is still due counts with the time that it has waited so far.
  const end = performance.now();
  for (const due of waiting) latencies.push(end - due);
  for (const connection of idle) connection.close();
  const isAlive = child.exitCode === null && child.signalCode === null;
  return {
    writes: latencies.length,
    failed,
    ...percentiles(Float64Array.from(latencies)),
    peakMemoryMb: isAlive ? peakMemoryOf(child) / 1e6 : Number.NaN,
    isAlive,
  };
}
