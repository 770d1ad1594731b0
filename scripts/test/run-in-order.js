// Runs test files with Node's own runner, in the order in which they are given: the command line of Node.js sorts what it is
// given. `run-in-order.js LIST CONCURRENCY FAILURES`, where LIST is a file with a path in each line. All that happens
// goes to standard output, what failed into the file FAILURES too.
import { createWriteStream, readFileSync } from 'node:fs';
import { run } from 'node:test';
import { spec, tap } from 'node:test/reporters';
import failedTests from './failed-tests.js';

/** A file that takes longer hangs: it fails, instead of holding up all that wait for the end. ms. */
const timeout = 1_200_000;

const [list, concurrency, failures] = process.argv.slice(2);
const files = readFileSync(list, 'utf8').split('\n').filter(Boolean);
const tests = run({ files, concurrency: Number(concurrency), timeout });
tests.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
/** A report that broke off would hide what fails after it. The runner takes what is thrown here for a fault of a test. */
const report = (reporter, to) => {
  const text = tests.compose(reporter).on('error', (error) => {
    process.stderr.write(`a report broke off: ${error.stack}\n`);
    process.exit(1);
  });
  text.pipe(to);
};
report(failedTests, createWriteStream(failures));
report(process.stdout.isTTY ? new spec() : tap, process.stdout);
