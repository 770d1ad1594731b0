import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../../src/errors.ts';
import { DamagedError } from '../../../src/store/embedded/files/damage.ts';
import { presentProblems, storeProblems } from '../../../src/store/embedded/health.ts';

describe('what a reader is told', () => {
  it('is damage, which is told for good, or overload, which is not', () => {
    const logged: string[] = [];
    const problems = storeProblems({ error: (_fields, message) => logged.push(message) });
    const codeOf = (error: unknown) => {
      const explained = problems.explain(error);
      return explained instanceof PitwallError ? explained.code : explained;
    };
    const damage = new DamagedError('/data/parts/1.part', 0, 9, 'the checksum is wrong');
    assert.deepEqual([codeOf(damage), codeOf(damage)], ['data_damaged', 'data_damaged']);
    assert.equal(codeOf(Object.assign(new Error('EMFILE'), { code: 'EMFILE' })), 'overloaded');
    const bug = new TypeError('a bug');
    assert.equal(codeOf(bug), bug);
    assert.deepEqual([problems.all, logged], [[damage.message], [damage.message]]);
  });
});

describe('what is wrong for now', () => {
  it('is said once, in words', () => {
    assert.deepEqual(presentProblems([undefined, undefined]), []);
    assert.deepEqual(presentProblems(['disk_full', 'disk_full']), ['the disk is full']);
    assert.deepEqual(presentProblems(['overloaded', 'storage_failed']), [
      'no more files can be opened',
      'the storage has failed',
    ]);
    assert.deepEqual(presentProblems(['shutting_down', undefined]), []);
  });
});
