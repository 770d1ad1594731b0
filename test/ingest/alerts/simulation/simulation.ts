import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseStep, randomOf } from '../../../round-steps.ts';
import { type Round, RoundFailed } from '../../../rounds.ts';
import { seededRandom } from '../../../store/embedded/random.ts';
import { steps } from './steps.ts';
import { type Counts, compareAll, newWorld, restart, type World } from './world.ts';

export function noCounts(): Counts {
  return { writes: 0, events: 0, silences: 0, tests: 0, ahead: 0, pauses: 0, restarts: 0, kills: 0 };
}

/** One round, in a new folder. Throws RoundFailed. */
export async function runRound(round: Round<Counts>): Promise<void> {
  const { seed, counts } = round;
  const root = mkdtempSync(join(tmpdir(), 'pitwall-alerts-'));
  let step = 0;
  let name = 'start';
  let world: World | undefined;
  try {
    world = await newWorld(root, randomOf(seed, -1), counts, round.onNote ?? (() => undefined));
    for (; step < round.steps && round.isOver?.() !== true; step++) {
      const random = randomOf(seed, step);
      // Without rules there is little to see.
      const chance = random.next();
      const chosen = step < 4 ? putRule : chooseStep(steps, chance);
      const own = seededRandom(random.int(0, 2 ** 31));
      if (round.without?.has(step) === true) continue;
      name = chosen.name;
      round.onStep?.(step, name);
      world.now += own.int(1, 50);
      await chosen.run(world, own);
      await compareAll(world);
    }
    name = 'end';
    await restart(world, randomOf(seed, step));
    const events = await compareAll(world);
    counts.events += events.length;
    counts.ahead += events.filter((value) => value.startsWith('ahead')).length;
    counts.silences += events.filter((value) => value === 'noData').length;
  } catch (error) {
    throw new RoundFailed(seed, step, name, error as Error);
  } finally {
    await world?.store.close().catch(() => undefined);
    rmSync(root, { recursive: true, force: true });
  }
}

const putRule = steps.find(({ name }) => name === 'put a rule')!;
