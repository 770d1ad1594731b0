import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chooseStep, randomOf } from '../../../round-steps.ts';
import { type Round, RoundFailed } from '../../../rounds.ts';
import { seededRandom } from '../random.ts';
import { finishReads } from './held-reads.ts';
import type { LossyDisk } from './lossy-disk.ts';
import { compareAll, steps } from './steps.ts';
import { type Counts, newWorld, passTime, settleRequests, type World } from './world.ts';

/** One round: a new folder, and so many steps that the seed decides. */
export interface StoreRound extends Round<Counts> {
  /** Where the disk is, and its folder. */
  readonly disk: LossyDisk;
  readonly root: string;
}

export function noCounts(): Counts {
  return { writes: 0, rows: 0, deleted: 0, restarts: 0, kills: 0, cuts: 0, faults: 0, damages: 0, told: 0 };
}

/** Resolves with the steps that were taken; throws RoundFailed. */
export async function runRound(round: StoreRound): Promise<number> {
  const { seed, disk, counts } = round;
  disk.fail(undefined);
  let step = 0;
  let name = 'start';
  let world: World | undefined;
  try {
    world = await newWorld(round.root, disk, randomOf(seed, -1), counts, round.onNote ?? (() => undefined));
    for (; step < round.steps && round.isOver?.() !== true; step++) {
      const random = randomOf(seed, step);
      const chosen = chooseStep(steps, random.next());
      const own = seededRandom(random.int(0, 2 ** 31));
      if (round.without?.has(step) === true) continue;
      name = chosen.name;
      round.onStep?.(step, name);
      passTime(world, own.int(1, 5000));
      await chosen.run(world, own);
      if (world.complaints.length > 0)
        throw new Error(`the store complained: ${world.complaints.join('; ')}`);
    }
    name = 'end';
    await finishReads(world);
    await settleRequests(world);
    await compareAll(world);
    return step;
  } catch (error) {
    throw new RoundFailed(seed, step, name, error as Error);
  } finally {
    disk.fail(undefined);
    await world?.store.close().catch(() => undefined);
    for (const folder of [world?.directory, join(round.root, 'data')])
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    rmSync(join(round.root, 'synced'), { recursive: true, force: true });
    mkdirSync(join(round.root, 'synced'), { recursive: true });
  }
}

/** A folder in memory where there is one: nothing has to be on a disk here, for syncs are only noted. */
export function simulationRoot(): string {
  for (const parent of ['/dev/shm', process.env['TMPDIR'] ?? '/tmp']) {
    try {
      return mkdtempSync(join(parent, 'pitwall-simulation-'));
    } catch {
      // The next one.
    }
  }
  throw new Error('there is no folder for a simulation');
}
