import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../src/http/route.ts';
import { watchQueries } from '../../src/http/watch-queries.ts';
import { createByteBudget } from '../../src/ingest/byte-budget.ts';
import { createLog } from '../../src/log.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createRunningQueries } from '../../src/query/bounds/running-queries.ts';

function callOf(left: AbortSignal): Call {
  return {
    principal: { tokenId: 't', workspace: 'w', scopes: ['read'] },
    isOperator: async () => false,
    params: {},
    query: {},
    accept: undefined,
    contentType: undefined,
    acceptEncoding: undefined,
    ifMatch: undefined,
    ifNoneMatch: undefined,
    body: Buffer.alloc(0),
    reservation: createByteBudget(1).open(),
    signal: () => left,
  };
}

describe('a query whose answer is made over time', () => {
  it('is off the list where its client leaves while a chunk is made, though nobody asks for the next one', async () => {
    const running = createRunningQueries(() => 'q1', Date.now);
    const watch = { running, slowQueryMs: undefined, metrics: createMetrics(), log: createLog('silent') };
    const client = new AbortController();
    let isClosed = false;
    const route = watchQueries(watch)({
      method: 'POST',
      path: '/rows',
      interface: 'query',
      scope: 'read',
      summary: 'Rows',
      handle: () => ({
        chunks: (async function* () {
          try {
            client.abort(new Error('the client left'));
            yield Buffer.from('rows');
          } finally {
            isClosed = true;
          }
        })(),
      }),
    });
    const { chunks } = await route.handle(callOf(client.signal));
    assert.equal(running.count, 1);
    const made = (chunks as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await assert.rejects(made.next(), /the client left/);
    assert.equal(running.count, 0);
    assert.ok(isClosed, 'what makes the chunks has ended');
  });
});
