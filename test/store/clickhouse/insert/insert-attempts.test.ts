import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClickHouseError } from '@clickhouse/client';
import { insertAttempts } from '../../../../src/store/clickhouse/insert/insert-attempts.ts';
import { keptLog } from '../open-store.ts';

const patient = { attemptMs: 5000, patienceMs: 60_000 };

function serverError(code: number, type: string): ClickHouseError {
  return new ClickHouseError({ code: String(code), type, message: type });
}

describe('the attempts of an insert', () => {
  it('sends every attempt with the same token, and other inserts with others', async () => {
    const attempts = insertAttempts(patient, keptLog().log);
    const tokens: string[] = [];
    await attempts.insert('t', performance.now(), async (token) => {
      tokens.push(token);
      if (tokens.length < 3) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    });
    assert.equal(tokens.length, 3);
    assert.equal(new Set(tokens).size, 1);
    assert.equal(attempts.failure(60_000), undefined);
    await attempts.insert('t', performance.now(), async (token) => void tokens.push(token));
    assert.equal(new Set(tokens).size, 2);
  });

  it('refuses the write with 503 when its time is over, however ClickHouse failed', async () => {
    const attempts = insertAttempts({ attemptMs: 5000, patienceMs: 0 }, keptLog().log);
    const failing = (error: Error) => attempts.insert('t', performance.now(), () => Promise.reject(error));
    await assert.rejects(failing(new Error('connect ECONNREFUSED')), { code: 'storage_failed', status: 503 });
    await assert.rejects(failing(serverError(252, 'TOO_MANY_PARTS')), { code: 'overloaded', status: 503 });
    await assert.rejects(failing(serverError(241, 'MEMORY_LIMIT_EXCEEDED')), { code: 'overloaded' });
    assert.equal(attempts.failure(60_000)?.code, 'overloaded');
  });

  it('does not try again what fails the same way, or a full disk', async () => {
    const attempts = insertAttempts(patient, keptLog().log);
    let tries = 0;
    const failing = (error: Error) =>
      attempts.insert('t', performance.now(), () => {
        tries++;
        return Promise.reject(error);
      });
    await assert.rejects(failing(serverError(243, 'NOT_ENOUGH_SPACE')), { code: 'disk_full', status: 503 });
    await assert.rejects(failing(serverError(60, 'UNKNOWN_TABLE')), { code: 'storage_failed', status: 503 });
    assert.equal(tries, 2);
  });

  it('logs a bug with its stack, and what ClickHouse said in one line', async () => {
    const causes: unknown[] = [];
    const keep = (fields: object) => void causes.push((fields as { cause: unknown }).cause);
    const log = { info: keep, warn: keep, error: keep };
    const attempts = insertAttempts({ attemptMs: 5000, patienceMs: 0 }, log);
    const failing = (error: Error) => attempts.insert('t', performance.now(), () => Promise.reject(error));
    const bug = new TypeError('x is not a function');
    await assert.rejects(failing(bug));
    assert.deepEqual(causes, [bug.stack, bug.stack]);
    causes.length = 0;
    const others = insertAttempts({ attemptMs: 5000, patienceMs: 0 }, log);
    const error = serverError(252, 'TOO_MANY_PARTS');
    await assert.rejects(others.insert('t', performance.now(), () => Promise.reject(error)));
    assert.deepEqual(causes, ['TOO_MANY_PARTS', 'TOO_MANY_PARTS']);
  });

  it('says of a full disk now and then that it is, not of each insert', async () => {
    const { lines, log } = keptLog();
    const attempts = insertAttempts(patient, log);
    const full = serverError(243, 'NOT_ENOUGH_SPACE');
    for (let i = 0; i < 100; i++) {
      await assert.rejects(
        attempts.insert('t', performance.now(), () => Promise.reject(full)),
        { code: 'disk_full' },
      );
    }
    assert.deepEqual(lines, ['an insert failed', 'gave up inserts; their requests are not acknowledged']);
  });

  it('gives an attempt no more time than is left, but for the last', async () => {
    const attempts = insertAttempts({ attemptMs: 30_000, patienceMs: 60_000 }, keptLog().log);
    const limits: number[] = [];
    for (const age of [0, 50_000, 100_000]) {
      await attempts.insert('t', performance.now() - age, async (_token, patienceMs) => {
        limits.push(Math.round(patienceMs / 1000));
      });
    }
    assert.deepEqual(limits, [30, 10, 1]);
  });
});
