// Loaded into each process that runs tests: as it ends, it adds to the file that TEST_TIMES names what processor time it and
// its children took, as a line of JSON: {"unit": "e2e/hub", "seconds": 3.2}. Only Linux tells it of children.
import { appendFileSync, readFileSync } from 'node:fs';
import { after, before, describe } from 'node:test';

/** Ticks of /proc in a second, on all machines that Node.js runs on. */
const ticks = 100;

function ofChildren() {
  try {
    // What follows the name of the program, which may have spaces: the times of children that have ended are fields 16 and 17.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / ticks;
  } catch {
    return 0;
  }
}

/** @param unit what the process runs */
export function tellProcessorTime(unit) {
  process.on('exit', () => tell(unit, secondsSoFar()));
}

/** Files whose tests have ended. */
let ended = 0;

/** A file among others of the same process: its hooks end with it, and its time is told beside that of all. */
export function testFile(path, load) {
  return describe(path, async () => {
    let start = 0;
    before(() => {
      start = secondsSoFar();
    });
    await load();
    after(() => {
      ended++;
      tell(path, secondsSoFar() - start, true);
    });
  });
}

/** Fails where the process ends before the tests of so many files: nobody would miss them. */
export function expectFiles(count) {
  process.on('exit', () => {
    if (ended === count) return;
    process.stderr.write(`the tests of only ${ended} of ${count} files have ended\n`);
    process.exitCode = 1;
  });
}

function secondsSoFar() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + ofChildren();
}

function tell(unit, seconds, isPart = false) {
  const file = process.env.TEST_TIMES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ unit, seconds, isPart })}\n`);
}
