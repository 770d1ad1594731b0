import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogState } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import { expiredStreams } from '../../../../src/store/embedded/deletes/expiry.ts';
import type { Change } from '../../../../src/store/store.ts';
import { commit } from '../log-scratch.ts';
import { rowsOf } from '../rows.ts';

describe('streams whose rows expire', () => {
  it('are looked for in steps whose size does not depend on how many streams there are', () => {
    const now = 10_000_000;
    const state = catalogState(() => now);
    const count = 3000;
    const isOld = (i: number) => i % 3 === 0;
    const changes = Array.from({ length: count }, (_, i): Change => {
      const time = isOld(i) ? 1n : BigInt(now) * 1_000_000n;
      return {
        type: 'rows',
        topic: 't',
        streamId: `s${i}`,
        rows: [rowsOf([{ time, cells: { p: 1 } }])],
      };
    });
    commit(state, 1, [{ type: 'topic', topic: 't', retention: 1_000_000_000n }, ...changes]);
    const steps = expiredStreams(state, false);
    let rests = 0;
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        const found = step.value.map((stream) => state.streams.id(stream));
        const wanted = changes.flatMap((_, i) => (isOld(i) ? [`s${i}`] : []));
        assert.deepEqual(found.sort(), wanted.sort());
        break;
      }
      rests++;
    }
    assert.ok(rests >= 3, `${rests} rests`);
  });
});
