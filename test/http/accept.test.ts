import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../src/errors.ts';
import { requireJsonAnswer } from '../../src/http/accept.ts';

describe('an Accept header', () => {
  it('is met with JSON wherever JSON will do, and where the form is unknown', () => {
    for (const accept of [
      undefined,
      '',
      '*/*',
      'application/json',
      'text/html',
      'text/csv, */*;q=0.1',
      'image/png',
    ]) {
      requireJsonAnswer(accept);
    }
  });

  it('is refused where it asks for a form that is to come', () => {
    for (const accept of [
      'text/csv',
      'Application/CSV',
      'application/vnd.apache.parquet',
      'text/csv;q=1, image/png',
    ]) {
      assert.throws(
        () => requireJsonAnswer(accept),
        (error) => error instanceof PitwallError && error.code === 'not_supported',
      );
    }
  });
});
