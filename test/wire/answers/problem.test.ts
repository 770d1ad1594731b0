import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PitwallError } from '../../../src/errors.ts';
import { encodeProblem } from '../../../src/wire/answers/problem.ts';
import { fault } from '../../../src/wire/base/fault.ts';

test('writes everything that is known about an error', () => {
  assert.deepEqual(JSON.parse(encodeProblem(fault('wrong_type', 'epoch', 'must be a number'), 'r1')), {
    type: 'urn:pitwall:error:wrong_type',
    title: 'A value has the wrong type',
    status: 400,
    detail: 'epoch must be a number',
    code: 'wrong_type',
    errors: [{ path: 'epoch', message: 'must be a number' }],
    requestId: 'r1',
  });
});

test('has a detail in any case, and faults where there are any', () => {
  assert.deepEqual(JSON.parse(encodeProblem(new PitwallError('not_found'), 'r2')), {
    type: 'urn:pitwall:error:not_found',
    title: 'There is nothing at this address',
    status: 404,
    detail: 'There is nothing at this address',
    code: 'not_found',
    requestId: 'r2',
  });
});
