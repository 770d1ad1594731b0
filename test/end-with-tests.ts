import type { ChildProcess } from 'node:child_process';
import { after } from 'node:test';

/** Processes that run still. */
const running = new Set<ChildProcess>();

/** Programs that use what tests use are none, and have no end of tests to wait for. */
const isTestFile = /\.test\.[jt]s$/.test(process.argv[1] ?? '');

if (isTestFile)
  after(() => {
    for (const child of running) {
      child.kill('SIGKILL');
      // A process of its own that lives on would hold them.
      for (const stream of child.stdio) stream?.destroy();
    }
  });

/**
 * Kills a process, where it runs still, when the tests of the file have ended: one that a failed test has left would keep
 * the file from ending, and its failure from being told.
 */
export function endWithTests<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}
