import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAdmit } from '../../src/auth/admit.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { PitwallError } from '../../src/errors.ts';
import { createByteBudget } from '../../src/ingest/byte-budget.ts';
import { createMetrics } from '../../src/metrics.ts';

const reader: Principal = { tokenId: '1', workspace: 'racing', scopes: ['read'] };
const unknown = new PitwallError('unauthorized', { detail: 'this token is not known' });

function setUp() {
  const metrics = createMetrics();
  const budget = createByteBudget(100);
  const admit = createAdmit({
    authenticate(header) {
      if (header === 'reader') return reader;
      if (header === 'operator') return { tokenId: '2', workspace: 'default', scopes: ['admin'] };
      if (header === 'elsewhere') return Promise.resolve(reader);
      if (header === 'nowhere') return Promise.reject(unknown);
      throw unknown;
    },
    workspaceOfHost: (host) => host,
    budget,
    metrics,
  });
  const counts = async () =>
    Object.fromEntries(
      (await metrics.refusedRequests.get()).values.map(({ labels, value }) => [labels.reason, value]),
    );
  return { admit, budget, counts };
}

const read = { path: '/read', scope: 'read' } as const;
const write = { path: '/write', scope: 'write' } as const;
const hub = { path: '/hub', scope: 'any' } as const;
const isCode = (code: string) => (error: unknown) => error instanceof PitwallError && error.code === code;

describe('admitting a request', () => {
  it('says who asks, at once or after a look', async () => {
    const { admit, counts } = setUp();
    for (const route of [read, hub]) {
      for (const authorization of ['reader', 'elsewhere']) {
        for (const host of [undefined, 'racing']) {
          const admission = admit(route, { authorization, host });
          assert.equal(admission instanceof Promise, authorization === 'elsewhere');
          assert.equal((await admission).principal, reader);
        }
      }
    }
    assert.deepEqual(await counts(), { unauthorized: 0, forbidden: 0, overloaded: 0 });
  });

  it('asks nobody on a route without a scope', async () => {
    const { admit } = setUp();
    const admission = await admit({ path: '/open', scope: undefined }, { authorization: 'no', host: 'any' });
    assert.throws(() => admission.principal.workspace, /\/open has no scope/);
  });

  it('tells an admin of the default workspace from all others, on a route without a scope too, and counts no refusal', async () => {
    const { admit, counts } = setUp();
    const open = { path: '/open', scope: undefined };
    for (const authorization of [undefined, 'reader', 'elsewhere', 'nowhere', 'no']) {
      assert.equal(await (await admit(open, { authorization, host: undefined })).isOperator(), false);
    }
    assert.equal(
      await (await admit(open, { authorization: 'operator', host: undefined })).isOperator(),
      true,
    );
    assert.equal(await (await admit(read, { authorization: 'reader', host: undefined })).isOperator(), false);
    assert.equal(
      await (await admit(read, { authorization: 'operator', host: undefined })).isOperator(),
      true,
    );
    assert.deepEqual(await counts(), { unauthorized: 0, forbidden: 0, overloaded: 0 });
  });

  it('refuses the token, the workspace and the scope in this order, and counts each once', async () => {
    const { admit, counts } = setUp();
    for (const [authorization, host, code, detail] of [
      ['wrong', 'karting', 'unauthorized', /not known/],
      ['nowhere', 'karting', 'unauthorized', /not known/],
      ['reader', 'karting', 'forbidden', /does not belong to the workspace 'karting'/],
      ['elsewhere', 'karting', 'forbidden', /does not belong to the workspace 'karting'/],
      ['reader', 'racing', 'forbidden', /needs the scope write/],
      ['elsewhere', 'racing', 'forbidden', /needs the scope write/],
    ] as const) {
      await assert.rejects(
        async () => await admit(write, { authorization, host }),
        (error) => isCode(code)(error) && detail.test((error as Error).message),
      );
    }
    assert.deepEqual(await counts(), { unauthorized: 2, forbidden: 4, overloaded: 0 });
  });

  it('counts a request for which there is no memory', async () => {
    const { admit, budget, counts } = setUp();
    const { reservation } = await admit(read, { authorization: 'reader', host: undefined });
    reservation.take(100);
    assert.throws(() => reservation.take(1), isCode('overloaded'));
    assert.equal(budget.used, 100);
    assert.equal((await counts())['overloaded'], 1);
  });
});
