import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOutOfFiles, PitwallError } from '../../../../src/errors.ts';
import { DamagedError } from '../../../../src/store/embedded/files/damage.ts';
import { errorTold, tellError } from '../../../../src/store/embedded/threads/told-error.ts';

function across(error: Error): Error {
  return errorTold(structuredClone(tellError(error)));
}

describe('errors of a thread', () => {
  it('are of their class on the other side, with all that they say', () => {
    const faults = [{ path: 'a', message: 'is b' }];
    const own = across(new PitwallError('bad_pattern', { errors: faults, retryAfter: 7 })) as PitwallError;
    assert.ok(own instanceof PitwallError);
    assert.deepEqual(
      [own.code, own.message, own.errors, own.retryAfter],
      ['bad_pattern', 'a is b', faults, 7],
    );
    const damaged = across(new DamagedError('1.part', 3, 5, 'zeros')) as DamagedError;
    assert.ok(damaged instanceof DamagedError);
    assert.deepEqual([damaged.file, damaged.from, damaged.to, damaged.what], ['1.part', 3, 5, 'zeros']);
    assert.ok(isOutOfFiles(across(Object.assign(new Error('no file left'), { code: 'EMFILE' }))));
    assert.equal(across(new RangeError('a bug')).message, 'a bug');
  });
});
