import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Payload, parameterName } from './data.ts';
import { request } from './driver.ts';
import { cpuSecondsOf, killProcess, memoryOf, peakMemoryOf, type System, stopProcess } from './system.ts';

const command = fileURLToPath(new URL('../../dist/cli/pitwall.js', import.meta.url));
export const token = 'the-token-of-the-benchmarks';
const auth = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };

/**
 * @param onLine is given what the engine says, as Node.js was asked to by `nodeArgs`
 * @param program of another build, instead of this one's
 */
export async function startPitwall(
  directory: string,
  nodeArgs: readonly string[] = [],
  onLine?: (line: string) => void,
  program = command,
): Promise<System> {
  const dataDir = join(directory, 'pitwall');
  const storeArgs = ['--data-dir', dataDir];
  let { child, port } = await serve(storeArgs, nodeArgs, onLine, program);
  return {
    name: 'Pitwall',
    get port() {
      return port;
    },
    writeRequest: (payload) => pitwallWrite(payload),
    readRequest(stream, parameter, fromMs, toMs) {
      const body = `{"streamIds":["${stream}"],"numericParameters":[{"parameterName":"${parameter}"}],"from":${fromMs}000000,"to":${toMs}000000}`;
      return request('POST', '/parameters/data', auth, Buffer.from(body));
    },
    readValues(answer, parameter) {
      return (JSON.parse(answer.toString()) as { numericValues: Record<string, number[]> }).numericValues[
        parameter
      ]!;
    },
    settle: async () => undefined,
    async diskBytes() {
      // A restart moves the log's last rows to parts; then merging runs until it finds nothing to do.
      await stopProcess(child);
      ({ child, port } = await serve(storeArgs, nodeArgs, onLine, program));
      const size = () => folderBytes(join(dataDir, 'parts'));
      for (let before = -1, same = 0; same < 8; ) {
        await sleep(500);
        const now = size();
        same = now === before ? same + 1 : 0;
        before = now;
      }
      return size() + folderBytes(join(dataDir, 'catalog'));
    },
    memory: () => memoryOf(child),
    peakMemory: () => peakMemoryOf(child),
    cpuSeconds: () => cpuSecondsOf(child),
    async restart(end = killProcess) {
      await end(child);
      const start = performance.now();
      ({ child, port } = await serve(storeArgs, nodeArgs, onLine, program));
      return (performance.now() - start) / 1000;
    },
    stop: () => stopProcess(child),
  };
}

/** A request that writes one payload. */
export function pitwallWrite(payload: Payload, topic = 'bench'): Buffer {
  return request(
    'POST',
    `/topics/${topic}/streams/${payload.stream}/parameters/data`,
    auth,
    Buffer.from(bodyOf(payload)),
  );
}

export function pitwallGet(path: string): Buffer {
  return request('GET', path, auth, Buffer.alloc(0));
}

export function pitwallPost(path: string, body: object): Buffer {
  return request('POST', path, auth, Buffer.from(JSON.stringify(body)));
}

export function pitwallPut(path: string, body: object): Buffer {
  return request('PUT', path, auth, Buffer.from(JSON.stringify(body)));
}

/** A request for `/parameters/data`. */
export function pitwallQuery(body: object): Buffer {
  return pitwallPost('/parameters/data', body);
}

/** The JSON of a payload, as HTTP and the hub take it. */
export function bodyOf({ startMs, stepMs, firstParameter, values }: Payload): string {
  const rows = values[0]!.length;
  const timestamps = Array.from({ length: rows }, (_, row) => `${startMs + row * stepMs}000000`);
  const columns = values.map((column, i) => `"${parameterName(firstParameter + i)}":[${column.join(',')}]`);
  return `{"timestamps":[${timestamps.join(',')}],"numericValues":{${columns.join(',')}}}`;
}

/** Starts a process that serves on a free port, with these arguments for its store and these for Node.js. */
export async function serve(
  storeArgs: readonly string[],
  nodeArgs: readonly string[] = [],
  onLine?: (line: string) => void,
  program = command,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const args = [...nodeArgs, program, 'serve', ...storeArgs, '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PITWALL_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('pitwall did not start')));
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout! })) {
      const match = /^pitwall listening on http:\/\/127\.0\.0\.1:(\d+)$/.exec(line);
      if (match !== null) return Number(match[1]);
    }
    throw new Error('pitwall said nothing');
  })();
  const port = await Promise.race([ready, failed]);
  failed.catch(() => undefined);
  if (onLine === undefined) child.stdout!.resume();
  else createInterface({ input: child.stdout! }).on('line', onLine);
  return { child, port };
}

/** What the files of a folder take on the disk. */
export function folderBytes(folder: string): number {
  let total = 0;
  for (const name of readdirSync(folder)) {
    try {
      total += statSync(join(folder, name)).blocks * 512;
    } catch {
      // Merged away between the listing and the look.
    }
  }
  return total;
}
