import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printTable, show } from '../figures.ts';
import { serve } from '../pitwall.ts';
import { stopProcess } from '../system.ts';
import { authorization } from './authorization.ts';
import { connections } from './connections.ts';
import { docs } from './docs.ts';
import { writeSteadily } from './victim.ts';

const help = `node build/bench/attacks/run.js [--only NAME] [--seconds N]

Attacks a service for N seconds each (default 20) while somebody in another workspace writes 500 times a second, 10 rows
each. Shows what that one notices: the time of a write, failures, and the memory of the service. "nothing" is the same
without an attack. A p99 below 100 ms and a memory below 1000 MB are wanted. Names: nothing, ATTACKS.`;

/** Each attacks until the signal aborts, and tells what it has done. */
type Attack = (port: number, signal: AbortSignal) => Promise<string>;

const attacks: Readonly<Record<string, Attack>> = { docs, authorization, connections };

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    help: { type: 'boolean' },
    attack: { type: 'string' },
    port: { type: 'string' },
  },
});
const ms = Number(values.seconds) * 1000;
if (values.help === true) console.log(help.replace('ATTACKS', Object.keys(attacks).join(', ')));
else if (values.attack !== undefined) {
  // In a process of its own, so that it does not slow the one that measures.
  process.send!(await attacks[values.attack]!(Number(values.port), AbortSignal.timeout(ms)));
  process.disconnect();
} else await runAll();

async function runAll(): Promise<void> {
  const rows = [['attack', 'writes', 'failed', 'p50 ms', 'p99 ms', 'peak MB', 'alive', 'what it did']];
  for (const name of ['nothing', ...Object.keys(attacks)]) {
    if (values.only !== undefined && values.only !== name) continue;
    const directory = mkdtempSync(join(tmpdir(), 'pitwall-attack-'));
    const target = await serve(['--data-dir', directory, '--log-level', 'error']);
    const noticed = writeSteadily(target, AbortSignal.timeout(ms));
    const did = name === 'nothing' ? await pause(ms, '') : await attackWith(name, target.port);
    const { writes, failed, p50, p99, peakMemoryMb, isAlive } = await noticed;
    rows.push([
      ...[name, String(writes), String(failed), show(p50), show(p99), show(peakMemoryMb)],
      ...[isAlive ? 'yes' : 'no', did],
    ]);
    await stopProcess(target.child);
    rmSync(directory, { recursive: true });
  }
  printTable(rows);
}

async function attackWith(name: string, port: number): Promise<string> {
  const args = ['--attack', name, '--port', String(port), '--seconds', values.seconds];
  const attacker = fork(fileURLToPath(import.meta.url), args);
  const [did] = (await once(attacker, 'message')) as [string];
  return did;
}
