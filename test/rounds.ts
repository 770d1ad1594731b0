import { parseArgs } from 'node:util';

/** One round of a simulation: so many steps that the seed decides. */
export interface Round<Counts> {
  readonly seed: number;
  readonly steps: number;
  readonly counts: Counts;
  /** Steps that are left out: to find out which ones a failure needs. */
  readonly without?: ReadonlySet<number>;
  /** Told of each step before it is taken. */
  readonly onStep?: (step: number, name: string) => void;
  /** Told what it does. */
  readonly onNote?: (what: string) => void;
  /** Asked between steps. */
  readonly isOver?: () => boolean;
}

/** What a round found out that must not be. */
export class RoundFailed extends Error {
  readonly seed: number;
  readonly step: number;

  constructor(seed: number, step: number, name: string, cause: Error) {
    super(`seed ${seed}, step ${step} (${name}): ${cause.message}`, { cause });
    this.seed = seed;
    this.step = step;
  }
}

export interface Simulation<Counts> {
  /** The script of package.json that runs it. */
  readonly script: string;
  /** What it does. */
  readonly help: string;
  /** Steps of a round. */
  readonly steps: number;
  readonly noCounts: () => Counts;
  /** Throws RoundFailed. */
  readonly runRound: (round: Round<Counts>) => Promise<unknown>;
}

/** Runs rounds as the command line says; gives the code to exit with. */
export async function runRounds<Counts extends object>(simulation: Simulation<Counts>): Promise<number> {
  const { script, noCounts, runRound } = simulation;
  const help = `${simulation.help}

npm run ${script} -- [options]
  --seconds N    for so long; 60 by default
  --seed S       the first round's seed; the next rounds have the next ones. By the clock without it
  --steps N      steps of a round, ${simulation.steps} by default
  --rounds N     so many rounds, whatever time they take
  --without L    leave these steps out: 3,10-20
  --shrink       after a failure, tries again with fewer steps
  --trace        names each step
Ends with 1 where something wrong was said, and tells how to repeat it. Ctrl+C ends it after the step under way.`;
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
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const seconds = Number(values.seconds ?? 60);
  const first = Number(values.seed ?? Date.now() % 2 ** 31);
  const steps = Number(values.steps ?? simulation.steps);
  const isLong = values.steps === undefined || values.seconds !== undefined;
  const rounds = Number(values.rounds ?? (isLong ? Infinity : 1));
  if (!(seconds > 0) || !Number.isSafeInteger(first) || !(steps > 0) || !(rounds > 0)) {
    console.error(help);
    return 1;
  }
  const without = stepsOf(values.without);
  const counts = noCounts();
  const start = performance.now();
  let told = start;
  let taken = 0;
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (isStopped = true));
  const elapsed = () => (performance.now() - start) / 1000;
  const isOver = () => isStopped || (rounds === Infinity && elapsed() >= seconds);
  const summary = () =>
    `${taken} steps in ${Math.round(elapsed())} s: ${Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`;

  console.log(`seed ${first}, ${steps} steps a round`);
  let seed = first;
  try {
    for (let round = 0; round < rounds && !isOver(); round++, seed++) {
      await runRound({
        seed,
        steps,
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
    if (!(error instanceof RoundFailed)) throw error;
    console.error((error.cause as Error).stack);
    console.error(error.message);
    const again = (left: ReadonlySet<number>) =>
      `npm run ${script} -- --seed ${error.seed} --steps ${error.step + 1}${left.size > 0 ? ` --without ${listOf(left)}` : ''}`;
    console.error(`${summary()}\nagain: ${again(without)}`);
    if (values.shrink === true)
      console.error(`smallest found: ${again(await shrink(error.seed, error.step + 1))}`);
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
        await runRound({ seed: failed, steps: length, counts: noCounts(), without: tried }).catch(() => {
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
