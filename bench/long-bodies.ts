import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { payloads } from './data.ts';
import { type Connection, openConnection, request } from './driver.ts';
import { percentiles, printTable, show } from './figures.ts';
import { longBodies } from './long-bodies-made.ts';
import { writeAtRate } from './mixed-loads.ts';
import { pitwallGet, pitwallWrite, startPitwall, token } from './pitwall.ts';

const help = `node build/bench/long-bodies.js [--only NAME] [--seconds S] [--rounds N]

What a large body costs a small writer: 10 rows each 5 ms, S seconds long (default 4) alone, then beside each kind of body, which is
sent again and again. Prints the small writer's latency in ms, how often the service had long turns by what they were, and the
longest turns of its main thread by processor time, which others on the machine do not lengthen. --only takes one kind of
body: ${longBodies.map(({ name }) => name).join(', ')}.`;

const watch = fileURLToPath(new URL('./long-turns-watch.js', import.meta.url));
const writesPerSecond = 200;
const pauseMs = 500;
const mostTurns = 5;

/** Counts of `pitwall_long_turns_total` by work. */
async function longTurns(connection: Connection): Promise<Map<string, number>> {
  const text = (await connection.send(pitwallGet('/metrics'))).toString();
  const found = text.matchAll(/^pitwall_long_turns_total\{work="([^"]+)"\} (\d+)$/gm);
  return new Map([...found].map(([, work, count]) => [work!, Number(count)]));
}

function since(now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): string {
  const more = [...now].map(([work, count]) => [work, count - (before.get(work) ?? 0)] as const);
  const told = more.filter(([, count]) => count > 0).map(([work, count]) => `${work} ${count}`);
  return told.length === 0 ? '-' : told.join(', ');
}

/** A row of the table: one kind of body beside the small writer, or the small writer alone. */
async function measure(name: string | undefined, seconds: number, round: number): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
  let turns: number[] = [];
  const system = await startPitwall(directory, ['--import', watch], (line) => {
    const ms = /^turn ([\d.]+)$/.exec(line)?.[1];
    if (ms !== undefined) turns.push(Number(ms));
  });
  try {
    const connection = await openConnection(system.port);
    const small = payloads({
      shape: 'decimals',
      streams: 1,
      payloadsPerStream: Number.POSITIVE_INFINITY,
      rowsPerPayload: 10,
      parameters: 10,
    });
    const forSeconds = (count: number): Buffer[] =>
      Array.from({ length: writesPerSecond * count }, () => pitwallWrite(small.next().value!, 'small'));
    await writeAtRate(system.port, forSeconds(1), writesPerSecond);
    const body = longBodies.find((kind) => kind.name === name);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': body?.type ?? 'application/json' };
    if (body?.before !== undefined) {
      const [method, path, text] = body.before;
      await connection.send(request(method, path, headers, Buffer.from(text)));
    }
    const bytes = body?.make(round) ?? Buffer.alloc(0);
    await sleep(300);
    turns = [];
    const before = await longTurns(connection);
    let isOver = false;
    let sent = 0;
    const send = async (): Promise<void> => {
      if (body === undefined) return;
      const large = await openConnection(system.port);
      while (!isOver) {
        await large.send(
          request(body.method ?? 'POST', body.path, headers, sent === 0 ? bytes : body.make(round + sent)),
        );
        sent++;
        await sleep(pauseMs);
      }
      large.close();
    };
    const writes = forSeconds(seconds);
    const sending = send();
    const latencies = await writeAtRate(system.port, writes, writesPerSecond);
    isOver = true;
    await sending;
    const { p50, p99 } = percentiles(latencies);
    const longest = turns.sort((a, b) => b - a).slice(0, mostTurns);
    const told = since(await longTurns(connection), before);
    connection.close();
    return [
      name ?? 'alone',
      `${(bytes.length / 2 ** 20).toFixed(1)} MiB × ${sent}`,
      show(p50),
      show(p99),
      show(Math.max(...latencies)),
      told,
      longest.map((ms) => ms.toFixed(0)).join(' '),
    ];
  } finally {
    await system.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(help);
else {
  const kinds = longBodies.filter(({ name }) => values.only === undefined || values.only === name);
  const rows = [['body', 'size', 'p50', 'p99', 'max', 'long turns', 'longest by processor']];
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const name of [undefined, ...kinds.map((kind) => kind.name)]) {
      rows.push(await measure(name, Number(values.seconds), round * 1000));
    }
  }
  printTable(rows);
}
