// Loaded into each process that runs tests: as it ends, it adds to the file that TEST_TIMES names what processor time it and
// its children took, and how long it lasted, as a line of JSON: {"unit": "e2e/hub", "seconds": 3.2, "lasted": 9.1}. Only Linux
// tells it of children.
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, describe } from 'node:test';

/** Ticks of /proc in a second, on all machines that Node.js runs on. */
const ticks = 100;

/**
 * What a process tells of itself: the seconds that it took, and those of its children that have ended. A browser does not wait
 * for its pages' processes as it ends: what these took is in nothing but `withRunning`.
 */
function timesOf(pid) {
  try {
    // What follows the name of the program, which may have spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    const [user, system, usedUser, usedSystem] = fields.slice(11, 15).map((field) => Number(field) / ticks);
    return { parent: fields[1], own: user + system, ended: usedUser + usedSystem };
  } catch {
    return { parent: '0', own: 0, ended: 0 };
  }
}

/** With all that run still below this process. */
function withRunning() {
  let seconds = secondsSoFar();
  const all = new Map();
  for (const pid of existsSync('/proc/self') ? readdirSync('/proc') : [])
    if (/^\d+$/.test(pid)) all.set(pid, timesOf(pid));
  const isBelow = (pid) =>
    all.get(pid)?.parent === String(process.pid) || (all.has(pid) && isBelow(all.get(pid).parent));
  for (const [pid, { own, ended }] of all) if (isBelow(pid)) seconds += own + ended;
  return seconds;
}

/** @param unit what the process runs */
export function tellProcessorTime(unit) {
  process.on('exit', () => tell(unit, Math.max(secondsSoFar(), ofFiles)));
}

/** Files whose tests have ended. */
let ended = 0;
/** What they took, s: where they had a browser, more than is known of it once it has ended. */
let ofFiles = 0;

/** A file among others of the same process: its hooks end with it, and its time is told beside that of all. */
export function testFile(path, load) {
  return describe(path, async () => {
    let start = 0;
    before(() => {
      start = withRunning();
    });
    await load();
    after(() => {
      ended++;
      const seconds = withRunning() - start;
      ofFiles += seconds;
      tell(path, seconds, true);
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
  return (user + system) / 1e6 + timesOf('self').ended;
}

function tell(unit, seconds, isPart = false) {
  const file = process.env.TEST_TIMES;
  if (file === undefined) return;
  const lasted = process.uptime();
  appendFileSync(file, `${JSON.stringify({ unit, seconds, lasted, isPart })}\n`);
}
