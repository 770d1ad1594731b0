import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Log } from '../../src/log.ts';
import { type Needed, waitFor } from '../../src/start/wait-for.ts';

/** Something that comes up after so many attempts, and what the log was told until then. */
function setUp(failures: number) {
  const told: string[] = [];
  const note = (_fields: object, message: string): void => {
    told.push(message);
  };
  const log = { info: note, warn: note } as unknown as Log;
  let attempts = 0;
  const needed: Needed<string> = {
    name: 'the server at host:1',
    async attempt() {
      attempts++;
      if (attempts <= failures) throw new Error('refused');
      return 'it';
    },
    isFinal: (error) => (error as Error).message === 'wrong password',
    reason: (error) => (error as Error).message,
    abandon: () => assert.fail('nothing was brought in vain'),
  };
  return { needed, log, told, attempts: () => attempts };
}

const signal = new AbortController().signal;

describe('waiting for what a start needs', () => {
  it('says nothing where it is there at once', async () => {
    const { needed, log, told } = setUp(0);
    assert.equal(await waitFor(needed, { log, signal, tellMs: 1 }), 'it');
    assert.deepEqual(told, []);
  });

  it('tries until it is there, and says so once at first and once at the end', async () => {
    const { needed, log, told, attempts } = setUp(3);
    assert.equal(await waitFor(needed, { log, signal, pauseMs: 1, tellMs: 60_000 }), 'it');
    assert.equal(attempts(), 4);
    assert.deepEqual(told, ['waiting for the server at host:1', 'the server at host:1 is there']);
  });

  it('says from time to time that it still waits, also while an attempt hangs', async () => {
    const { needed, log, told } = setUp(0);
    let answer = (): void => undefined;
    const hanging = {
      ...needed,
      attempt: () => new Promise<string>((resolve) => (answer = () => resolve('it'))),
    };
    const warn = (fields: object, message: string): void => {
      log.info(fields, message);
      if (told.length === 3) answer();
    };
    assert.equal(await waitFor(hanging, { log: { ...log, warn } as Log, signal, tellMs: 1 }), 'it');
    assert.equal(told[0], 'waiting for the server at host:1');
    assert.match(told[1]!, /^still waiting for the server at host:1, for \d+ s now$/);
    assert.equal(told.at(-1), 'the server at host:1 is there');
  });

  it('ends with an error that stays', async () => {
    const { needed, log, attempts } = setUp(0);
    let tries = 0;
    const refusing = {
      ...needed,
      async attempt(): Promise<string> {
        tries++;
        throw new Error(tries === 1 ? 'refused' : 'wrong password');
      },
    };
    await assert.rejects(waitFor(refusing, { log, signal, pauseMs: 1 }), /^Error: wrong password$/);
    assert.deepEqual([tries, attempts()], [2, 0]);
  });

  it('ends when it is told to, and lets go of what comes after', async () => {
    const { needed, log } = setUp(0);
    const controller = new AbortController();
    const abandoned: string[] = [];
    let answer = (): void => undefined;
    const late: Needed<string> = {
      ...needed,
      attempt: () => new Promise((resolve) => (answer = () => resolve('it'))),
      abandon: (brought) => abandoned.push(brought),
    };
    const waiting = waitFor(late, { log, signal: controller.signal });
    const reason = new Error('SIGTERM');
    controller.abort(reason);
    await assert.rejects(waiting, reason);
    answer();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(abandoned, ['it']);
  });

  it('ends between two attempts as well', async () => {
    const { needed, log, told } = setUp(1);
    const controller = new AbortController();
    const warn = (fields: object, message: string): void => {
      log.info(fields, message);
      controller.abort(new Error('SIGTERM'));
    };
    const waiting = waitFor(needed, {
      log: { ...log, warn } as Log,
      signal: controller.signal,
      pauseMs: 60_000,
    });
    await assert.rejects(waiting, /SIGTERM/);
    assert.deepEqual(told, ['waiting for the server at host:1']);
  });
});
