// `npm run test:simulate -- --seconds N --seed S`: the embedded store against a plain one, with faults, for so long.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { diskVariable, lossyDisk } from './lossy-disk.ts';
import { noCounts, runRound, SimulationFailed, simulationRoot } from './simulation.ts';

const help = `Runs the embedded store against a plain model: writes, deletes, expiry, jumps of the clock, merges, backups,
restarts, kills, power cuts, faults of the disk and damage, as a seed decides.

npm run test:simulate -- [options]
  --seconds N    for so long; 60 by default
  --seed S       the first round's seed; the next rounds have the next ones. By the clock without it
  --steps N      steps of a round, 300 by default
  --rounds N     so many rounds, whatever time they take
  --without L    leave these steps out: 3,10-20
  --shrink       after a failure, tries again with fewer steps
  --trace        names each step
Ends with 1 where the store said something wrong, and tells how to repeat it. Ctrl+C ends it after the step under way.`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string' },
    steps: { type: 'string' },
    rounds: { type: 'string' },
    without: { type: 'string' },
    shrink: { type: 'boolean' },
    trace: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help === true) console.log(help);
else if (lossyDisk === undefined) process.exitCode = await onDiskOfItsOwn();
else process.exitCode = await simulate(lossyDisk);

/** Starts this program once more, with the disk below all of its threads. */
async function onDiskOfItsOwn(): Promise<number> {
  const root = simulationRoot();
  const disk = fileURLToPath(new URL('./lossy-disk.js', import.meta.url));
  const options = ['--enable-source-maps', '--import', disk, fileURLToPath(import.meta.url)];
  const child = spawn(process.execPath, [...options, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, [diskVariable]: root },
  });
  // Ctrl+C reaches the child as well; who ends only this process means both.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const code = await new Promise<number>((resolve) =>
    child.on('exit', (status, signal) => {
      if (signal !== null) console.error(`the simulation ended with ${signal}`);
      resolve(status ?? 1);
    }),
  );
  rmSync(root, { recursive: true, force: true });
  return code;
}

async function simulate(disk: NonNullable<typeof lossyDisk>): Promise<number> {
  const seconds = Number(values.seconds ?? 60);
  const first = Number(values.seed ?? Date.now() % 2 ** 31);
  const steps = Number(values.steps ?? 300);
  const rounds = Number(
    values.rounds ?? (values.steps === undefined || values.seconds !== undefined ? Infinity : 1),
  );
  if (!(seconds > 0) || !Number.isSafeInteger(first) || !(steps > 0) || !(rounds > 0)) {
    console.error(help);
    return 1;
  }
  const root = process.env[diskVariable]!;
  const without = stepsOf(values.without);
  const counts = noCounts();
  const start = performance.now();
  let told = start;
  let taken = 0;
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (isStopped = true));
  const elapsed = () => Math.round((performance.now() - start) / 1000);
  const isOver = () =>
    isStopped ||
    (values.rounds === undefined && rounds === Infinity && performance.now() - start >= seconds * 1000);
  const summary = () =>
    `${taken} steps in ${elapsed()} s: ${Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`;

  console.log(`seed ${first}, ${steps} steps a round`);
  let seed = first;
  try {
    for (let round = 0; round < rounds && !isOver(); round++, seed++) {
      await runRound({
        seed,
        steps,
        disk,
        root,
        counts,
        without,
        isOver,
        onNote(what) {
          if (values.trace === true) console.log(`  ${what}`);
        },
        onStep(step, name) {
          taken++;
          if (values.trace === true) console.log(`seed ${seed}, step ${step}: ${name}`);
          if (performance.now() - told < 5000) return;
          told = performance.now();
          console.log(`seed ${seed}, step ${step}; ${summary()}`);
        },
      });
    }
    console.log(summary());
    return 0;
  } catch (error) {
    if (!(error instanceof SimulationFailed)) throw error;
    console.error((error.cause as Error).stack);
    console.error(error.message);
    const repeat = (left: ReadonlySet<number>) =>
      `npm run test:simulate -- --seed ${error.seed} --steps ${error.step + 1}${left.size > 0 ? ` --without ${listOf(left)}` : ''}`;
    console.error(`${summary()}\nagain: ${repeat(without)}`);
    if (values.shrink === true)
      console.error(`smallest found: ${repeat(await shrink(error.seed, error.step + 1))}`);
    return 1;
  }

  /** Leaves out stretches of steps for as long as the round fails all the same. */
  async function shrink(failed: number, length: number): Promise<Set<number>> {
    const left = new Set(without);
    for (let size = length >> 1; size >= 1; size >>= 1) {
      for (let from = 0; from < length && !isStopped; from += size) {
        const tried = new Set(left);
        for (let step = from; step < Math.min(from + size, length); step++) tried.add(step);
        if (tried.size === left.size) continue;
        const options = { seed: failed, steps: length, disk, root, counts: noCounts(), without: tried };
        await runRound(options).catch(() => {
          for (const step of tried) left.add(step);
        });
      }
    }
    return left;
  }
}

/** `3,10-20` as numbers. */
function stepsOf(list: string | undefined): Set<number> {
  const found = new Set<number>();
  for (const part of list?.split(',') ?? []) {
    const [from, to = from] = part.split('-').map(Number);
    for (let step = from!; step <= to!; step++) found.add(step);
  }
  return found;
}

function listOf(steps: ReadonlySet<number>): string {
  const ranges: [number, number][] = [];
  for (const step of [...steps].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === step - 1) last[1] = step;
    else ranges.push([step, step]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
