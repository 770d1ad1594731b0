// `npm run test:replicas -- --rounds N --seed S --size 5`: replicas of which one thing after another goes wrong, while writers write.
import { parseArgs } from 'node:util';
import { natsMissing } from '../live/nats-server.ts';
import { replicaRounds } from './replicas-rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string' },
    faults: { type: 'string' },
    size: { type: 'string' },
  },
});
const rounds = Number(values.rounds ?? 50);
const size = Number(values.size ?? 3);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);

if (natsMissing === false) {
  console.log(`seed ${seed}, ${rounds} rounds`);
  const only = new RegExp(values.faults ?? '');
  const { acknowledged, repairs, longest } = await replicaRounds({
    size,
    rounds,
    seed,
    only,
    say: console.log,
  });
  for (const [name, ms] of longest) console.log(`${name}: ${Math.round(ms)} ms without a write at most`);
  if (repairs > 0) console.log(`the log lost messages and began anew ${repairs} times`);
  console.log(`${acknowledged} acknowledged rows are there once, on each of ${size} nodes`);
} else console.log(`not run: ${natsMissing}`);
