// `npm run test:alerts -- --seconds N --seed S`: alert rules against plain ones, for so long.
import { runRounds } from '../../../rounds.ts';
import { noCounts, runRound } from './simulation.ts';

process.exitCode = await runRounds({
  script: 'test:alerts',
  help: `Runs alert rules on the embedded store against plain ones: rules made, changed and removed, calculated parameters,
writes in order and late, streams closed, deleted and restored, silence, restarts and kills, as a seed decides.`,
  steps: 120,
  noCounts,
  runRound,
});
