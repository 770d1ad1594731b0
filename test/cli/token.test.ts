import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from '../../src/cli/command.ts';
import { renderTable } from '../../src/cli/table.ts';
import { endTime } from '../../src/cli/token.ts';

describe('the end of a token', () => {
  it('is a time, or a span from now', () => {
    assert.equal(endTime('2030-01-31T00:00:00Z', 0), '2030-01-31T00:00:00.000Z');
    assert.equal(endTime('2030-01-31 12:30', 0), '2030-01-31T12:30:00.000Z');
    assert.equal(endTime('2030-01-31T12:30+02:00', 0), '2030-01-31T10:30:00.000Z');
    assert.equal(endTime('30d', 0), '1970-01-31T00:00:00.000Z');
    assert.equal(endTime('12h', 0), '1970-01-01T12:00:00.000Z');
  });

  it('is refused where it is neither', () => {
    for (const text of [
      'soon',
      '',
      'may 5',
      '2030',
      '2030-02-30',
      '2030-01-31T25:00:00Z',
      '30',
      '-1d',
      '999999999999d',
    ])
      assert.throws(() => endTime(text, 0), UsageError, text);
  });
});

describe('a table', () => {
  it('has columns as wide as their widest cell', () => {
    assert.equal(
      renderTable([
        ['ID', 'NAME'],
        ['abc', ''],
        ['d', 'x'],
      ]),
      'ID   NAME\nabc\nd    x',
    );
    assert.equal(renderTable([['a\u001b[2J\n', 'b\u202e']]), 'a [2J   b');
  });
});
