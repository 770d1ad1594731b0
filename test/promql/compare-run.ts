import { parseArgs } from 'node:util';
import { adminToken } from '../e2e/service.ts';
import { createRandom } from '../fuzz/random.ts';
import { ask } from './ask.ts';
import type { Asked } from './queries.ts';
import { randomQuery } from './random-query.ts';
import { difference } from './same-answers.ts';
import { firstSecond } from './samples.ts';

// Asks Prometheus and Pitwall the same random queries and prints what is not the same:
//
//   node build/test/promql/compare-run.js --real URL --ours URL --seconds 60 --seed 1

const { values } = parseArgs({
  options: {
    real: { type: 'string' },
    ours: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});
const random = createRandom(Number(values.seed));
const end = performance.now() + Number(values.seconds) * 1000;
let [count, withSeries, different, ties] = [0, 0, 0, 0];
while (performance.now() < end) {
  const query = randomQuery(random);
  const at = firstSecond + random.below(6000) - 300;
  const asked: Asked =
    random.below(2) === 0
      ? { query, time: at }
      : { query, start: at, end: at + random.below(1200), step: 7 + random.below(200) };
  const theirs = await ask(values.real!, asked);
  const ours = await ask(values.ours!, asked, { authorization: `Bearer ${adminToken}` });
  count++;
  if (Array.isArray(theirs.result) && theirs.result.length > 0) withSeries++;
  const found = difference(theirs, ours, false);
  if (found === undefined) continue;
  // Of equal values any may be among the first.
  if (/topk|bottomk/.test(query)) {
    ties++;
    continue;
  }
  different++;
  console.log(JSON.stringify(asked), '\n    ', found.slice(0, 500));
}
console.log(
  `${count} queries, ${withSeries} with series, ${different} different, ${ties} with topk or bottomk, which have ties`,
);
