// `npm run test:faults -- --faults N --seed S [--after kill]`: damages a data folder again and again, and looks for what is not told.
import { parseArgs } from 'node:util';
import { faultRounds } from './fault-rounds.ts';

const help = `Damages a data folder again and again, each time in another place, and looks for what is not told.

npm run test:faults -- [options]
  --faults N     so many; 1000 by default
  --seed S       which ones; by the clock without it
  --after WHAT   stop: the folder of a store that was closed, the default; kill: of one that was killed in a load
Ends with 1 where an answer was wrong without a word, or the program died without an explanation.`;

const { values } = parseArgs({
  options: {
    faults: { type: 'string' },
    seed: { type: 'string' },
    after: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help === true) {
  console.log(help);
  process.exit();
}
const faults = Number(values.faults ?? 1000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);

if (values.after !== undefined && values.after !== 'stop' && values.after !== 'kill') {
  console.error('--after is stop or kill. See --help.');
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
