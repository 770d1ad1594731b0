import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printTable, show } from './figures.ts';
import { fanOut, officialFanOut, pacedFanOut } from './hub-fan-out.ts';
import { stalledReader } from './hub-stalled.ts';
import { httpWrites, hubWrites, officialWrites } from './hub-writes.ts';
import { startPitwall } from './pitwall.ts';
import { median } from './random.ts';
import type { System } from './system.ts';

export interface HubBenchOptions {
  /** Interleaved rounds; the figures are medians. */
  readonly rounds: number;
  /** 0.1 makes the loads a tenth. */
  readonly scale: number;
}

/** Rows of 10 parameters in a payload, and how many payloads make a round. */
const writes = [
  { rows: 1, count: 40_000 },
  { rows: 10, count: 40_000 },
  { rows: 100, count: 8000 },
] as const;
/** Requests under way at one time, in every kind of client. */
const underWay = [64, 256] as const;
const pacedMessages = 20_000;
const audiences = [1, 100, 1000] as const;

/**
 * The hub by itself: writes over one WebSocket beside writes over HTTP, what readers get and when, and what a reader
 * that stalls does to a writer. The server is a process of its own; all clients are in this one.
 */
export async function benchHub(options: HubBenchOptions): Promise<void> {
  const count = (full: number): number => Math.max(50, Math.round(full * options.scale));
  const loads = writes.flatMap((load) => underWay.map((inFlight) => ({ ...load, inFlight })));
  for (const { rows, count: full, inFlight } of loads) {
    console.log(
      `\nwrites of ${rows} rows of 10 parameters, ${count(full)} a round, ${inFlight} under way at one time`,
    );
    await withServer(async (system) => {
      const results = await rounds(options.rounds, {
        [`HTTP, ${inFlight} connections`]: (round) => httpWrites(system, rows, count(full), round, inFlight),
        'hub, one WebSocket': (round) => hubWrites(system, rows, count(full), round, inFlight),
        'hub, official client': (round) => officialWrites(system, rows, count(full / 4), round, inFlight),
      });
      const [http, ...others] = results;
      printTable([
        ['median', 'requests/s', 'against HTTP', 'p50 ms', 'p99 ms'],
        ...[http!, ...others].map(({ name, figures }) => [
          name,
          show(figures['rate']!),
          show(figures['rate']! / http!.figures['rate']!),
          show(figures['p50']!),
          show(figures['p99']!),
        ]),
      ]);
    });
  }
  for (const readers of audiences) {
    const packages = count(readers === 1000 ? 500 : 5000);
    console.log(
      `\n${packages} packages of 10 rows of 10 parameters to ${readers} readers, 8 under way at one time`,
    );
    await withServer(async (system) => {
      const results = await rounds(options.rounds, {
        'raw WebSockets': () => fanOut(system, readers, packages),
        ...(readers === 1 && { 'official client': () => officialFanOut(system, packages) }),
      });
      printTable([
        ['median', 'messages/s', 'p50 ms from the answer', 'p99 ms'],
        ...results.map(({ name, figures }) => [
          name,
          show(figures['rate']!),
          show(figures['p50']!),
          show(figures['p99']!),
        ]),
      ]);
    });
  }
  console.log(
    `\n${pacedMessages} messages a second to 1000 readers, of 10 rows of 10 parameters, at a steady pace`,
  );
  await withServer(async (system) => {
    const results = await rounds(options.rounds, {
      'raw WebSockets': () => pacedFanOut(system, 1000, pacedMessages, 20 * options.scale),
    });
    printTable([
      ['median', 'p50 ms from the answer', 'p99 ms', 'µs of processor time a message'],
      ...results.map(({ name, figures }) => [
        name,
        show(figures['p50']!),
        show(figures['p99']!),
        show(figures['cpuMicros']!),
      ]),
    ]);
  });
  console.log(
    `\n${count(2000)} writes of 100 rows one after the other, with and without a reader that stalls`,
  );
  await withServer(async (system) => {
    const results = await rounds(options.rounds, {
      'no reader': () => stalledReader(system, count(2000), 'none'),
      'a reader that reads': () => stalledReader(system, count(2000), 'reading'),
      'a reader that stalls': () => stalledReader(system, count(2000), 'stalled'),
    });
    printTable([
      ['median', 'p50 ms', 'p99 ms'],
      ...results.map(({ name, figures }) => [name, show(figures['p50']!), show(figures['p99']!)]),
    ]);
  });
}

async function withServer(use: (system: System) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
  const system = await startPitwall(directory);
  try {
    await use(system);
  } finally {
    await system.stop();
    rmSync(directory, { recursive: true });
  }
}

/** By name; each figure is the median of its rounds. */
type Figures = Readonly<Record<string, number>>;

async function rounds(
  count: number,
  works: Readonly<Record<string, (round: number) => Promise<Figures>>>,
): Promise<{ name: string; figures: Figures }[]> {
  const found = new Map<string, Figures[]>(Object.keys(works).map((name) => [name, []]));
  // The first round only warms up, or whoever comes first would pay for the compiler.
  for (let round = 0; round <= count; round++) {
    for (const [name, work] of Object.entries(works)) {
      const figures = await work(round);
      if (round === 0) continue;
      found.get(name)!.push(figures);
      const line = Object.entries(figures).map(([figure, value]) => `${figure} ${show(value)}`);
      console.log(`  round ${round}  ${name}  ${line.join('  ')}`);
    }
  }
  return [...found].map(([name, all]) => ({
    name,
    figures: Object.fromEntries(
      Object.keys(all[0]!).map((figure) => [figure, median(all.map((figures) => figures[figure]!))]),
    ),
  }));
}
