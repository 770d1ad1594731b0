import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { CannotOpen, type EmbeddedStore, openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { verifyStore } from '../../../../src/store/embedded/verify.ts';
import { damageFile } from '../faults/damage-file.ts';
import type { Random } from '../random.ts';
import { compareAllRows, compareListings, compareQuestion, compareTagValues } from './comparisons.ts';
import { finishReads } from './held-reads.ts';
import { randomQuestion } from './random-questions.ts';
import { workspaceNames } from './random-writes.ts';
import { copyFolder, restart, settleRequests, type World } from './world.ts';

/**
 * Stops the store and damages a copy of its folder: flips a bit, zeroes a sector or cuts a file. Whoever reads the copy
 * is answered as before, or told; the store goes on in the folder that is whole.
 */
export async function damageStep(world: World, random: Random): Promise<void> {
  await finishReads(world);
  await settleRequests(world);
  await world.store.close();
  const copy = copyFolder(world);
  const what = damageFile(copy, random);
  world.note(what);
  world.counts.damages++;
  try {
    const damages = await verified(copy);
    const { wrong, told } = await asked(world, copy, random);
    if (told) world.counts.told++;
    if (wrong !== undefined) {
      assert.ok(told, `${what}: the service does not tell, and ${wrong.message}`);
      assert.ok(damages.length > 0, `${what}: verify does not tell, and ${wrong.message}`);
    }
    assert.ok(!told || damages.length > 0, `${what}: the service tells of damage, and verify does not`);
  } finally {
    rmSync(copy, { recursive: true });
  }
  await restart(world, random);
}

async function verified(directory: string): Promise<string[]> {
  const damages: string[] = [];
  try {
    for await (const { file, what } of verifyStore(directory)) damages.push(`${file}: ${what}`);
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    damages.push(error.message);
  }
  return damages;
}

/** Whether the store of a folder says other things than the plain one, and whether it tells of damage. */
async function asked(
  world: World,
  directory: string,
  random: Random,
): Promise<{ wrong: Error | undefined; told: boolean }> {
  let store: EmbeddedStore;
  try {
    store = await openEmbeddedStore({
      dataDir: directory,
      headBytes: 256 * 1024,
      slabBytes: 64 * 1024,
      interruptedAfterMs: 1e15,
      quietMs: 3_600_000,
      sealOnCloseMs: 0,
      clock: () => world.now,
      monotonicMs: () => world.running,
      log: { info() {}, warn() {}, error() {} },
    });
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    return { wrong: error, told: true };
  }
  const pair = { store, plain: world.plain, now: world.now };
  let wrong: Error | undefined;
  const ask = async (question: () => unknown) => {
    try {
      await question();
    } catch (error) {
      wrong ??= error as Error;
    }
  };
  try {
    for (const workspace of new Set(workspaceNames)) {
      await ask(() => compareListings(pair, workspace));
      await ask(() => compareAllRows(pair, workspace));
      await ask(() => compareTagValues(pair, workspace, 'lap'));
      for (let i = 0; i < 3; i++)
        await ask(() => compareQuestion(pair, workspace, randomQuestion(random, world.now)));
    }
    const told = store.health().problems.some((problem) => !problem.startsWith('the clock of this machine'));
    return { wrong, told };
  } finally {
    await store.close();
  }
}
