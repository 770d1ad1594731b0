// `npm run test:faults -- --faults N --seed S [--after kill]`: damages a data folder again and again, and looks for what is not told.
import { parseArgs } from 'node:util';
import { faultRounds } from './fault-rounds.ts';

const { values } = parseArgs({
  options: { faults: { type: 'string' }, seed: { type: 'string' }, after: { type: 'string' } },
});
const faults = Number(values.faults ?? 1000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);

if (values.after !== undefined && values.after !== 'stop' && values.after !== 'kill') {
  console.error(
    '--after is stop, which is so without it, or kill: the folder of a store that was killed in a load',
  );
  process.exit(1);
}

console.log(`seed ${seed}, ${faults} faults`);
let done = 0;
const { counts, failures } = await faultRounds({
  faults,
  seed,
  ...(values.after !== undefined && { after: values.after }),
  onFault: (fault, outcome) => console.log(`fault ${++done} of ${faults}: ${fault}: ${outcome}`),
});
console.log(JSON.stringify(counts));
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
