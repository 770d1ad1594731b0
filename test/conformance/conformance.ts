import { after, before, describe, it } from 'node:test';
import { type Again, askAgain, type Run, runScript, type Target } from './run-script.ts';
import type { Script } from './script.ts';

/** A service that can be started again on what it has stored. */
export interface RestartableTarget extends Target {
  /** Ends the process with the signal and starts another, perhaps at another address. */
  restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  stop(): Promise<unknown>;
}

/** Starts the service to test with these settings: flags without their dashes. */
export type StartTarget = (settings: ReadonlyMap<string, string>) => Promise<RestartableTarget>;

/** How a service ends that is started again, and what is said of it. */
export const restarts = [
  ['SIGKILL', 'what they read is there after the process was killed'],
  ['SIGTERM', 'what they read is there after the process was stopped'],
] as const;

/**
 * Makes a test of every script. Then the service is ended in each of these ways and started again: what the scripts read
 * last they must read again. Scripts that ask for the same settings share a process.
 */
export function testConformance(
  scripts: readonly Script[],
  start: StartTarget,
  ends: readonly (typeof restarts)[number][] = restarts,
  again: Again = 'all',
): void {
  for (const [settings, group] of groupBySettings(scripts)) {
    describe(settings === '' ? 'with the default settings' : `with ${settings}`, () => {
      let target: RestartableTarget;
      const runs: Run[] = [];
      before(async () => {
        target = await start(group[0]!.settings);
      });
      after(() => target.stop());

      it('scripts pass', { concurrency: scriptsAtOnce }, async (test) => {
        const run = (script: Script) => async () => {
          runs.push(await runScript(target, script, workspaceOf(script)));
        };
        await Promise.all(group.map((script) => test.test(script.name, run(script))));
      });

      for (const [signal, what] of ends) {
        it(what, { concurrency: scriptsAtOnce }, async (test) => {
          await target.restart(signal);
          await Promise.all(
            runs.map((run) => test.test(run.script.name, () => askAgain(target, run, again))),
          );
        });
      }
    });
  }
}

/** Enough for their writes to share syncs. */
const scriptsAtOnce = 8;

function groupBySettings(scripts: readonly Script[]): Map<string, Script[]> {
  const groups = new Map<string, Script[]>();
  for (const script of scripts) {
    const key = [...script.settings].map(([name, value]) => `--${name}=${value}`).join(' ');
    groups.set(key, [...(groups.get(key) ?? []), script]);
  }
  return groups;
}

/** A name for a workspace: at most 63 lowercase letters, digits and hyphens. */
function workspaceOf({ name }: Script): string {
  const readable = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `c-${readable.slice(0, 40)}-${hash(name).toString(36)}`;
}

/** Tells names apart that begin alike (FNV-1a). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}
