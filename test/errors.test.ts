import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { errorTable, PitwallError } from '../src/errors.ts';
import { root } from './root.ts';

describe('the error table', () => {
  it('is what docs/errors.md lists: code, status and title', () => {
    const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| ([^|]+) \|/gm)].map((row) => {
      return [row[1]!, Number(row[2]), row[3]!.trim()];
    });
    const table = Object.entries(errorTable).map(([code, { status, title }]) => [code, status, title]);
    assert.deepEqual(listed.sort(), table.sort());
  });
});

describe('a PitwallError', () => {
  it('makes its text from the faults of the input', () => {
    const error = new PitwallError('wrong_type', {
      errors: [{ path: 'epoch', message: 'must be an integer' }],
    });
    assert.equal(error.message, 'epoch must be an integer');
    assert.equal(error.status, 400);
  });

  it('says when to come back where that makes sense', () => {
    assert.equal(new PitwallError('overloaded').retryAfter, 1);
    assert.equal(new PitwallError('overloaded', { retryAfter: 5 }).retryAfter, 5);
    assert.equal(new PitwallError('bad_json').retryAfter, undefined);
  });
});
