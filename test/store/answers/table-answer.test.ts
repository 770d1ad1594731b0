import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { PitwallError } from '../../../src/errors.ts';
import { type ByteBudget, createByteBudget } from '../../../src/ingest/byte-budget.ts';
import { tableAnswer } from '../../../src/store/answers/table-answer.ts';

const shape = { columns: [{ kind: Kind.Numeric, name: 'a' }], groupBy: [] };

async function* none() {}

function takeOf(budget: ByteBudget): (bytes: number) => void {
  const share = budget.open();
  return (bytes) => share.take(bytes);
}

describe('an answer that is a table', () => {
  it('holds its share of the memory of all requests', async () => {
    const budget = createByteBudget(10_000_000);
    await tableAnswer('csv', none(), shape, takeOf(budget));
    const lines = budget.used;
    assert.ok(lines > 100_000);
    await tableAnswer('arrow', none(), shape, takeOf(budget));
    assert.ok(budget.used > 2 * lines);
    const texts = { columns: [{ kind: Kind.String, name: 's' }], groupBy: [] };
    await assert.rejects(
      tableAnswer('arrow', none(), texts, takeOf(createByteBudget(1_000_000))),
      (error) => error instanceof PitwallError && error.code === 'overloaded',
    );
  });
});
