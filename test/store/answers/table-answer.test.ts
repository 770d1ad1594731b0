import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { PitwallError } from '../../../src/errors.ts';
import { createByteBudget } from '../../../src/ingest/byte-budget.ts';
import { tableAnswer } from '../../../src/store/answers/table-answer.ts';

const shape = { columns: [{ kind: Kind.Numeric, name: 'a' }], groupBy: [] };

async function* none() {}

describe('an answer that is a table', () => {
  it('holds its share of the memory of all requests', async () => {
    const budget = createByteBudget(10_000_000);
    await tableAnswer('csv', none(), shape, budget.open().take);
    const lines = budget.used;
    assert.ok(lines > 100_000);
    await tableAnswer('arrow', none(), shape, budget.open().take);
    assert.ok(budget.used > 2 * lines);
    const texts = { columns: [{ kind: Kind.String, name: 's' }], groupBy: [] };
    await assert.rejects(
      tableAnswer('arrow', none(), texts, createByteBudget(1_000_000).open().take),
      (error) => error instanceof PitwallError && error.code === 'overloaded',
    );
  });
});
