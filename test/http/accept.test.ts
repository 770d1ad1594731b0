import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseForm } from '../../src/http/accept.ts';

const parquet = 'application/vnd.apache.parquet';
const arrow = 'application/vnd.apache.arrow.stream';

const choices: readonly (readonly [accept: string | undefined, type: string])[] = [
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['application/json', 'application/json'],
  ['text/html', 'application/json'],
  ['image/png, audio/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['Application/CSV', 'application/csv'],
  ['text/*', 'text/csv'],
  ['text/csv; header=present; charset=utf-8', 'text/csv'],
  ['text/csv;q=1, image/png', 'text/csv'],
  [parquet, parquet],
  [` ${arrow} ;q=0.5`, arrow],
  ['text/csv, */*', 'text/csv'],
  ['*/*, text/csv', 'text/csv'],
  ['text/csv, */*;q=0.1', 'text/csv'],
  ['text/csv;q=0.1, */*', 'application/json'],
  ['application/json, text/csv', 'application/json'],
  ['text/csv, application/json', 'text/csv'],
  [`text/csv;q=0.5, ${parquet};q=0.9, application/json;q=0.1`, parquet],
  [`${arrow};q=0.123, ${parquet}; Q=0.124`, parquet],
  ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json'],
  ['text/csv;q=0', 'application/json'],
  ['application/json;q=0, */*', 'text/csv'],
  ['text/csv;q=0, text/*', 'application/json'],
  ['application/*;q=0.2, */*', 'text/csv'],
  ['text/csv;q=2', 'application/json'],
  ['text/csv;q=much', 'application/json'],
];

describe('an Accept header', () => {
  for (const [accept, type] of choices) {
    it(`'${accept}' gets ${type}`, () => assert.equal(chooseForm(accept).type, type));
  }

  it('gets the form that goes with the type', () => {
    const forms = ['text/csv', 'application/csv', parquet, arrow, '*/*'].map((one) => chooseForm(one).form);
    assert.deepEqual(forms, ['csv', 'csv', 'parquet', 'arrow', 'json']);
  });
});
