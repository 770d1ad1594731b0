import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithTests } from '../../../end-with-tests.ts';
import { seededRandom } from '../random.ts';
import { damageFile } from './damage-file.ts';
import type { Said } from './fault-answers.ts';
import { makeFaultFolder } from './fault-folder.ts';
import { killInLoad } from './fault-load.ts';

/**
 * The data folder of a store that was stopped or killed, with one fault in one file, as often as asked. Whatever the service and
 * `verify` then say is held against what they say of the folder without it.
 */
export interface FaultRun {
  readonly faults: number;
  readonly seed: number;
  /** How the store of the folder ended; a clean stop without it. */
  readonly after?: 'stop' | 'kill';
  readonly onFault?: (fault: string, outcome: Outcome) => void;
}

/**
 * - `equal`: every answer is the same, and nobody says otherwise
 * - `repaired`: every answer is the same, and the fault is told
 * - `told`: answers are missing or others, and both tell
 * - `cut`: after a kill, the last write is not whole, and the log says that it was cut
 * - `refused`: the service does not start, with one line, and `verify` tells
 * - `silent`: an answer is another one, and one of the two does not tell; or they do not agree
 * - `died`: the process ended
 */
export type Outcome = 'equal' | 'repaired' | 'told' | 'cut' | 'refused' | 'silent' | 'died';

export interface FaultSummary {
  readonly counts: Readonly<Record<Outcome, number>>;
  /** What must not be: a line for each fault that was silent or ended the process. */
  readonly failures: readonly string[];
}

interface Look {
  readonly damages: readonly string[];
  readonly said: Said;
}

/** After so many faults a load goes on in the folder, and is killed again. */
const faultsOfKill = 16;

/** Every so many faults one is in a folder whose catalogue has edits that no snapshot holds yet. */
const largeEvery = 8;

export async function faultRounds({
  faults,
  seed,
  after = 'stop',
  onFault,
}: FaultRun): Promise<FaultSummary> {
  const root = mkdtempSync(join(tmpdir(), 'pitwall-faults-'));
  const random = seededRandom(seed);
  const counts: Record<Outcome, number> = {
    equal: 0,
    repaired: 0,
    told: 0,
    cut: 0,
    refused: 0,
    silent: 0,
    died: 0,
  };
  const failures: string[] = [];
  const child = lookingChild();
  try {
    const folders = { small: join(root, 'small'), large: join(root, 'large') };
    await makeFaultFolder(folders.small);
    await makeFaultFolder(folders.large, 9_000_000);
    const expected = { small: await whole(folders.small), large: await whole(folders.large) };
    for (let i = 0; i < faults; i++) {
      // The moment of a kill decides what is under way, so there are many.
      if (after === 'kill' && i % faultsOfKill === 0) {
        for (const size of ['small', 'large'] as const) {
          await killInLoad(folders[size], random.int(1, 2 ** 30), random.int(1, 40));
          expected[size] = await whole(folders[size]);
        }
      }
      const size = i % largeEvery === largeEvery - 1 ? 'large' : 'small';
      const copy = join(root, 'copy');
      copyFolder(folders[size], copy);
      const fault = `${size} folder, ${damageFile(copy, random)}`;
      const found = await child.look(copy);
      const outcome = typeof found === 'string' ? 'died' : judge(expected[size], found, after);
      counts[outcome]++;
      onFault?.(fault, outcome);
      if (outcome === 'died' || outcome === 'silent')
        failures.push(`fault ${i} of seed ${seed}: ${fault}: ${outcome}: ${JSON.stringify(found)}`);
      rmSync(copy, { recursive: true });
    }
    return { counts, failures };
  } finally {
    child.stop();
    rmSync(root, { recursive: true });
  }

  /** What is said of the folder without a fault. */
  async function whole(folder: string): Promise<Look> {
    const copy = join(root, 'whole');
    copyFolder(folder, copy);
    const found = await child.look(copy);
    rmSync(copy, { recursive: true });
    if (typeof found === 'string' || found.damages.length + found.said.problems.length > 0)
      throw new Error(`the folder is not whole to begin with: ${JSON.stringify(found)}`);
    if (found.said.refusal !== undefined || Object.keys(found.said.errors).length > 0)
      throw new Error(`the folder cannot be read to begin with: ${JSON.stringify(found.said)}`);
    return found;
  }
}

function judge(expected: Look, { damages, said }: Look, after: 'stop' | 'kill'): Outcome {
  const isVerified = damages.length > 0;
  if (said.refusal !== undefined) return isVerified && !said.refusal.includes('\n') ? 'refused' : 'silent';
  const isEqual = Object.entries(expected.said.answers).every(
    ([name, answer]) => said.answers[name] === answer,
  );
  const isTold = said.problems.length > 0;
  // A read that meets damage says so, and so does `/readyz` from then on.
  if (Object.keys(said.errors).length > 0 && !isTold) return 'silent';
  if (isEqual) return isTold && !isVerified ? 'silent' : isTold || isVerified ? 'repaired' : 'equal';
  if (isTold && isVerified) return 'told';
  // Nothing can tell a last write that a kill broke off from one that was damaged afterwards. What the catalogue loses
  // of its last commit stands in the log or in files, so it is no excuse.
  const isCut = said.cuts.some(
    (line) => line.includes('at the end of the log') && !expected.said.cuts.includes(line),
  );
  return after === 'kill' && isCut && !isTold && !isVerified ? 'cut' : 'silent';
}

/** A killed process leaves its lock, which is no file. */
function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !lstatSync(path).isSocket() });
}

/** A process that looks at folders; one that ended is replaced. */
function lookingChild() {
  let child: ChildProcess | undefined;
  let said = '';

  function start(): ChildProcess {
    said = '';
    const path = fileURLToPath(new URL('./fault-child.js', import.meta.url));
    const started = endWithTests(fork(path, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] }));
    started.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    return started;
  }

  return {
    /** What it found, or how it ended. */
    async look(dataDir: string): Promise<Look | string> {
      child ??= start();
      const running = child;
      const ended = new AbortController();
      running.send(dataDir);
      try {
        return await Promise.race([
          once(running, 'message', { signal: ended.signal }).then(([found]) => found as Look),
          once(running, 'exit', { signal: ended.signal }).then(([code, signal]) => {
            child = undefined;
            return `ended with ${code ?? signal}: ${said}`;
          }),
        ]);
      } finally {
        ended.abort();
      }
    },
    stop: () => void child?.kill(),
  };
}
