import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { freePort } from '../test/free-port.ts';
import type { Attack } from './attacks/attack.ts';
import { attacks } from './attacks/list.ts';
import { payloads } from './data.ts';
import { openConnection, request } from './driver.ts';
import { pitwallWrite, serve, token } from './pitwall.ts';
import { peakMemoryOf, stopProcess } from './system.ts';

const help = `node build/bench/attacks.js [--only NAME] [--seconds N]

For each attack: a new service; somebody else writes 500 payloads of 10 rows a second, first in peace, then while the
attack goes on for N seconds (default 30). Prints how long these writes took from when they were due, how many were
refused, the most memory that the process had, and whether it is still the same one. Names:
${attacks.map(({ name, title }) => `  ${name.padEnd(15)} ${title}`).join('\n')}`;

const perSecond = 500;
const lines = 16;

interface Writes {
  readonly latencies: number[];
  refused: number;
}

/** Writes at a steady pace; a write that has to wait for those before it counts from when it was due. */
async function writeFor(port: number, seconds: number): Promise<Writes> {
  const writes: Writes = { latencies: [], refused: 0 };
  const total = perSecond * seconds;
  const requests = [
    ...payloads({
      shape: 'decimals',
      streams: 10,
      payloadsPerStream: Math.ceil(total / 10),
      rowsPerPayload: 10,
      parameters: 10,
    }),
  ].map((payload) => pitwallWrite(payload));
  const start = performance.now();
  let next = 0;
  const line = async (): Promise<void> => {
    let connection = await openConnection(port);
    for (let index = next++; index < total; index = next++) {
      const due = start + (index * 1000) / perSecond;
      const early = due - performance.now();
      if (early > 0) await sleep(early);
      try {
        await connection.send(requests[index]!);
      } catch {
        writes.refused++;
        connection.close();
        connection = await openConnection(port);
      }
      writes.latencies.push(performance.now() - due);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: lines }, line));
  return writes;
}

async function tokenOfAttacker(port: number): Promise<string> {
  const connection = await openConnection(port);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const post = (path: string, body: object): Promise<Buffer> =>
    connection.send(request('POST', path, headers, Buffer.from(JSON.stringify(body))));
  await post('/admin/workspaces', { name: 'attack' });
  const made = await post('/admin/tokens', { workspace: 'attack', scopes: ['read', 'write'] });
  connection.close();
  return (JSON.parse(made.toString()) as { token: string }).token;
}

function tell(what: string, { latencies, refused }: Writes): void {
  const ordered = Float64Array.from(latencies).sort();
  const at = (share: number): string => ordered[Math.floor((ordered.length - 1) * share)]!.toFixed(1);
  console.log(
    `  ${what.padEnd(10)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms; ${refused} of ${ordered.length} writes refused`,
  );
}

async function withstand({ name, title }: Attack, seconds: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'pitwall-attack-'));
  const mqttPort = await freePort();
  const args = ['--data-dir', join(directory, 'data'), '--mqtt-listen', `127.0.0.1:${mqttPort}`];
  const { child, port } = await serve(args);
  try {
    console.log(`${name}: ${title}`);
    tell('in peace', await writeFor(port, Math.min(10, seconds)));
    const target = { port, mqttPort, token: await tokenOfAttacker(port) };
    const attacker = new Worker(new URL('./attacks/attacker.js', import.meta.url), {
      workerData: { name, target },
    });
    attacker.on('error', (error) => console.log(`  the attacker failed: ${error.message}`));
    tell('attacked', await writeFor(port, seconds));
    await attacker.terminate();
    const memory = Math.round(peakMemoryOf(child) / 2 ** 20);
    const lives = child.exitCode === null && child.signalCode === null;
    console.log(`  ${memory} MiB at most; ${lives ? `process ${child.pid} lives on` : 'the process ended'}`);
  } finally {
    await stopProcess(child);
    rmSync(directory, { recursive: true });
  }
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '30' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(help);
else {
  const chosen = attacks.filter(({ name }) => values.only === undefined || name === values.only);
  if (chosen.length === 0) throw new Error(`there is no attack '${values.only}'; see --help`);
  for (const attack of chosen) await withstand(attack, Number(values.seconds));
}
