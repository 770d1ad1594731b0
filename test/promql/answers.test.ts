import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { adminToken, startService } from '../e2e/service.ts';
import { root } from '../root.ts';
import { type Answered, ask } from './ask.ts';
import type { Asked } from './queries.ts';
import { writeAll } from './real-prometheus.ts';
import { difference } from './same-answers.ts';

const authorization = `Bearer ${adminToken}`;

/** Queries with the answers of Prometheus 2.42 on the same samples. */
const answers = JSON.parse(readFileSync(join(root, 'test/promql/answers.json'), 'utf8')) as [
  Asked,
  Answered,
][];

describe('the query API of Prometheus', async () => {
  const { url } = await startService();

  before(() => writeAll(url, { authorization }));

  it('answers each query as Prometheus does', async () => {
    assert.ok(answers.length >= 400);
    const different: string[] = [];
    for (const [asked, theirs] of answers) {
      const ours = await ask(url, asked, { authorization });
      // Many have no order that is said; of equal values any may be first.
      const isOrdered = /^sort/.test(asked.query) && asked.time !== undefined && !asked.query.includes('odd');
      const found = difference(theirs, ours, isOrdered);
      if (found !== undefined) different.push(`${JSON.stringify(asked)}: ${found}`);
    }
    assert.deepEqual(different, []);
  });
});
