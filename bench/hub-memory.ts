import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { topic } from './hub-fan-out.ts';
import { type HubSocket, invocation, openHubSocket } from './hub-socket.ts';
import { serve, token } from './pitwall.ts';
import { stopProcess } from './system.ts';

/**
 * What a connection of the hub that follows one parameter takes of the service's memory. Clients and service are
 * processes of their own. Connections are opened step by step; each step writes some rows that all readers get, has the
 * service collect its garbage, and looks at its resident memory and at what its heap holds.
 */
const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '2000' },
    steps: { type: 'string', default: '4' },
    messages: { type: 'string', default: '20' },
    parameter: { type: 'string', default: 'p0' },
    /** Each reader follows a stream of its own, instead of all of them all streams. */
    own: { type: 'boolean', default: false },
  },
});
const connections = Number(values.connections);
const steps = Number(values.steps);
const messages = Number(values.messages);

const directory = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
/** The service's garbage is collected when it is asked to, so that only what is in use counts. */
const collector = `data:text/javascript,process.on('SIGUSR2', () => gc())`;
const { child, port } = await serve(['--data-dir', directory], ['--expose-gc', `--import=${collector}`]);
const sockets: HubSocket[] = [];
let events = 0;

function fail(error: Error): void {
  console.error(error);
  process.exitCode = 1;
  child.kill('SIGKILL');
}

async function open(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const streamId = values.own ? `stream-${sockets.length}` : '*';
    await new Promise<void>((resolve, reject) => {
      openHubSocket(port, token, {
        onCompletion: () => resolve(),
        onEvent() {
          events++;
        },
        onError: fail,
      }).then((socket) => {
        sockets.push(socket);
        const args = [topic, streamId, values.parameter].map((text) => JSON.stringify(text));
        socket.send(invocation(0, 'SubscribeToParameter', args));
      }, reject);
    });
  }
}

/** Rows that every reader gets, one write after the other. */
async function write(): Promise<void> {
  const begun = events;
  for (let n = 0; n < messages; n++) {
    const stream = values.own ? `stream-${n % Math.max(1, sockets.length)}` : 'stream';
    await new Promise<void>((resolve, reject) => {
      openHubSocket(port, token, { onCompletion: () => resolve(), onError: fail }).then((writer) => {
        const body = `{"timestamps":[${1_700_000_000_000 + n}000000],"numericValues":{"${values.parameter}":[${n}.5]}}`;
        writer.send(invocation(0, 'SendParameterData', [`"${topic}"`, `"${stream}"`, body]));
        setTimeout(() => writer.close(), 1000);
      }, reject);
    });
  }
  const expected = begun + messages * (values.own ? Math.min(1, sockets.length) : sockets.length);
  while (events < expected) await sleep(20);
}

/** The service's memory after its garbage has been collected, and some time to give free pages back. */
async function rested(): Promise<Memory> {
  for (let i = 0; i < 3; i++) {
    child.kill('SIGUSR2');
    await sleep(2000);
  }
  return await memoryOf(child);
}

interface Memory {
  readonly resident: number;
  readonly heap: number;
  readonly external: number;
}

async function memoryOf({ pid }: ChildProcess): Promise<Memory> {
  const text = await (
    await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  ).text();
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    resident: Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024,
    heap: metric('nodejs_heap_size_used_bytes'),
    external: metric('nodejs_external_memory_bytes'),
  };
}

try {
  // What the first connections load and compile is not theirs.
  await open(100);
  await write();
  let before = await rested();
  const first = before;
  console.log(`${sockets.length} connections: ${mb(before.resident)} resident, ${mb(before.heap)} of heap`);
  for (let step = 0; step < steps; step++) {
    await open(connections / steps);
    await write();
    const now = await rested();
    const each = ((now.resident - before.resident) * steps) / connections / 1024;
    console.log(
      `${sockets.length} connections: ${mb(now.resident)} resident, ${mb(now.heap)} of heap, ${mb(now.external)} external; ${each.toFixed(1)} KB for each new one`,
    );
    before = now;
  }
  const each = (before.resident - first.resident) / connections / 1024;
  console.log(`${each.toFixed(1)} KB of resident memory a connection`);
} finally {
  for (const socket of sockets) socket.close();
  await stopProcess(child);
  rmSync(directory, { recursive: true, force: true });
}

function mb(bytes: number): string {
  return `${(bytes / (1 << 20)).toFixed(1)} MB`;
}
