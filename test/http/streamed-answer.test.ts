import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../src/domain/parameter-data.ts';
import { PitwallError } from '../../src/errors.ts';
import { streamedAnswer } from '../../src/http/streamed-answer.ts';
import { createByteBudget } from '../../src/ingest/byte-budget.ts';

const shape = { columns: [{ kind: Kind.Numeric, name: 'a' }], groupBy: [] };
const csv = { form: 'csv', type: 'text/csv' } as const;

async function* none() {}

describe('an answer that is streamed', () => {
  it('holds its share of the memory of all requests', async () => {
    const budget = createByteBudget(10_000_000);
    await streamedAnswer(csv, none(), shape, budget.open());
    const lines = budget.used;
    assert.ok(lines > 100_000);
    const arrow = { form: 'arrow', type: 'application/vnd.apache.arrow.stream' } as const;
    await streamedAnswer(arrow, none(), shape, budget.open());
    assert.ok(budget.used > 2 * lines);
    const texts = { columns: [{ kind: Kind.String, name: 's' }], groupBy: [] };
    await assert.rejects(
      streamedAnswer(arrow, none(), texts, createByteBudget(1_000_000).open()),
      (error) => error instanceof PitwallError && error.code === 'overloaded',
    );
  });

  it('is of the type that was asked for', async () => {
    const reservation = createByteBudget(1e9).open();
    const answer = await streamedAnswer({ form: 'csv', type: 'application/csv' }, none(), shape, reservation);
    assert.deepEqual(
      [answer.type, answer.vary],
      ['application/csv; charset=utf-8; header=present', 'Accept'],
    );
  });
});
