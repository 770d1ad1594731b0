// `npm run test:simulate -- --seconds N --seed S`: the embedded store against a plain one, with faults, for so long.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runRounds } from '../../../rounds.ts';
import { diskVariable, lossyDisk } from './lossy-disk.ts';
import { noCounts, runRound, simulationRoot } from './simulation.ts';

if (lossyDisk === undefined) process.exitCode = await onDiskOfItsOwn();
else {
  const disk = lossyDisk;
  const root = process.env[diskVariable]!;
  process.exitCode = await runRounds({
    script: 'test:simulate',
    help: `Runs the embedded store against a plain model: writes, deletes, expiry, jumps of the clock, merges, backups,
restarts, kills, power cuts, faults of the disk and damage, as a seed decides.`,
    steps: 300,
    noCounts,
    runRound: (round) => runRound({ disk, root, ...round }),
  });
}

/** Starts this program once more, with the disk below all of its threads. */
async function onDiskOfItsOwn(): Promise<number> {
  const root = simulationRoot();
  const disk = fileURLToPath(new URL('./lossy-disk.js', import.meta.url));
  const options = ['--enable-source-maps', '--import', disk, fileURLToPath(import.meta.url)];
  const child = spawn(process.execPath, [...options, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, [diskVariable]: root },
  });
  // Ctrl+C reaches the child as well; who ends only this process means both.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const code = await new Promise<number>((resolve) =>
    child.on('exit', (status, signal) => {
      if (signal !== null) console.error(`the simulation ended with ${signal}`);
      resolve(status ?? 1);
    }),
  );
  rmSync(root, { recursive: true, force: true });
  return code;
}
