import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { oneByOne } from '../../src/ingest/one-by-one.ts';

test('lets in one at a time, in the order in which they came', async () => {
  const turns = oneByOne();
  const log: string[] = [];
  const enter = async (name: string) => {
    const leave = await turns.enter();
    log.push(name);
    return leave;
  };
  const first = await enter('first');
  const waiting = [enter('second'), enter('third')];
  await setImmediate();
  assert.deepEqual(log, ['first']);
  first();
  // To leave twice lets in nobody more.
  first();
  await setImmediate();
  assert.deepEqual(log, ['first', 'second']);
  (await waiting[0]!)();
  (await waiting[1]!)();
  assert.deepEqual(log, ['first', 'second', 'third']);
  (await enter('last'))();
  assert.equal(log.at(-1), 'last');
});
