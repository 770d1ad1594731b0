// `npm run test:crash -- --rounds N --seed S`: kills the service again and again, and looks for what is missing.
import { parseArgs } from 'node:util';
import { crashRounds } from './crash-rounds.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } });
const rounds = Number(values.rounds ?? 50);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);

console.log(`seed ${seed}, ${rounds} rounds`);
const { acknowledged, kept, dropped } = await crashRounds({
  rounds,
  seed,
  onRound: (round, summary) => console.log(`round ${round} of ${rounds}: ${summary}`),
});
console.log(
  `${acknowledged} acknowledged requests are whole; of those without an answer ${kept} are whole and ${dropped} absent`,
);
