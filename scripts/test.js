// Runs the compiled tests with Node's own runner. Node.js 20 takes no patterns there and later ones no folders, so
// the files are listed here; arguments narrow them down to paths that contain one of them. What any store has to do is
// tested a second time on ClickHouse, where its engine is installed, and a third time where values are written as windows.
// With --clickhouse nothing runs but what needs the engine, with --windows nothing but the third.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = fileURLToPath(new URL('../test', import.meta.url));
const folder = fileURLToPath(new URL('../build/test', import.meta.url));
const engine = fileURLToPath(new URL('../test/clickhouse/node_modules/@chdb', import.meta.url));

/** What is asked of every store, over HTTP and the hub. */
const ofAnyStore = [
  'client/client',
  'client/views',
  'conformance/run',
  'e2e/catalogue',
  'e2e/deletes',
  'e2e/event-data',
  'e2e/events',
  'e2e/hub',
  'e2e/tokens',
];
/** The same where it is a matter of minutes: with --clickhouse only. */
const ofAnyStoreLong = [
  'client/live',
  'client/replay/replay',
  'client/writer',
  'e2e/differential',
  'e2e/formats',
  'e2e/hub-official-client',
  'e2e/hub-other-clients',
  'e2e/line-protocol',
  'e2e/shares',
  'e2e/shares-hub',
];

/** Of these the ones that look at how values are kept, for windows where not all is asked for. */
const ofWindows = ['conformance/run'];

/** What stands in the paths of tests that need the engine: those of the store and of nodes that share one. */
const engineTests = ['clickhouse', join('e2e', 'nodes')];

/**
 * Rooms whose files are quick and leave the process as it was: each room runs in one process, for to start one and to load
 * what they share would take longer than their tests.
 */
const together = [
  ...[
    'alerts',
    'auth',
    'cli',
    'domain',
    'expression',
    'http',
    'hub',
    'import',
    'ingest',
    'live',
    'query',
    'web',
    'wire',
  ],
  ...['catalog', 'codecs', 'log', 'parts', 'rows', 'tombstones'].map((room) => join('store/embedded', room)),
];
/** What measures the memory of its process, or has it read settings, has one of its own. */
const alone = ['memory', 'log/commit-log', 'live/nats-link'];

/** A file that takes longer hangs: it fails, instead of holding up all that wait for the end. */
const hangs = '--test-timeout=600000';

/** Files at one time: most of them wait for processes more than they work. */
const beside = `--test-concurrency=${Math.max(3, availableParallelism())}`;

/** The compiler leaves behind what it made of files that are gone. */
const hasSource = (name) => existsSync(join(sources, name.replace(/js$/, 'ts')));

const given = process.argv.slice(2);
const isWindowsOnly = given.includes('--windows');
const isClickHouseOnly = given.includes('--clickhouse') || isWindowsOnly;
const wanted = given.filter((word) => word !== '--clickhouse' && word !== '--windows');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js') && hasSource(name))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`no test has ${wanted.join(' or ')} in its path\n`);
  process.exit(1);
}

const first = isClickHouseOnly
  ? files.filter((name) => engineTests.some((part) => name.includes(part)))
  : files;
const again = [...ofAnyStore, ...(isClickHouseOnly ? ofAnyStoreLong : [])];
const isOneOf = (name, paths) => paths.some((path) => name === join(`${path}.test.js`));
const second = files.filter((name) => isOneOf(name, again));
const third = isClickHouseOnly
  ? files.filter((name) => isOneOf(name, again) || name.includes(join('e2e', 'nodes')))
  : files.filter((name) => isOneOf(name, ofWindows));
/** Tests that need the engine leave out what takes long, unless they are asked for by themselves. */
const extent = isClickHouseOnly ? { CLICKHOUSE_TESTS: 'all' } : {};

const rooms = fileURLToPath(new URL('../build/test-rooms', import.meta.url));

/** The paths to run for these files: of rooms that run in one process a file that loads theirs. */
function pathsOf(names) {
  const paths = [];
  const inRooms = new Map(together.map((room) => [room, []]));
  for (const name of names) {
    const room = alone.some((part) => name.includes(part))
      ? undefined
      : together.find((one) => name.startsWith(join(one, '/')));
    if (room === undefined) paths.push(join(folder, name));
    else inRooms.get(room).push(name);
  }
  rmSync(rooms, { recursive: true, force: true });
  for (const [room, found] of inRooms) {
    if (found.length === 0) continue;
    const path = join(rooms, `${room}.test.js`);
    mkdirSync(dirname(path), { recursive: true });
    const imports = found.map((name) => `import '${relative(dirname(path), join(folder, name))}';\n`);
    writeFileSync(path, imports.join(''));
    paths.push(path);
  }
  return paths.sort();
}

const reporter = fileURLToPath(new URL('failed-tests.js', import.meta.url));
const failures = fileURLToPath(new URL('../build/failed-tests.txt', import.meta.url));
/** All that happens for who watches; what failed into a file besides, to be told at the end. */
const reports = [
  `--test-reporter=${process.stdout.isTTY ? 'spec' : 'tap'}`,
  '--test-reporter-destination=stdout',
  `--test-reporter=${reporter}`,
  `--test-reporter-destination=${failures}`,
];

/** What failed in all runs. */
let failed = '';

/** Runs the files to their end, on the store that the variable names, and tells whether all went well. */
function run(names, env) {
  if (names.length === 0) return true;
  rmSync(failures, { force: true });
  const options = ['--enable-source-maps', '--test', ...reports, hangs, beside];
  const { status } = spawnSync(process.execPath, [...options, ...pathsOf(names)], {
    stdio: 'inherit',
    env: { ...process.env, ...extent, ...env },
  });
  if (existsSync(failures)) failed += readFileSync(failures, 'utf8');
  return status === 0;
}

let isWell = isWindowsOnly || run(first, {});
if (existsSync(engine)) {
  if (!isWindowsOnly) isWell = run(second, { TEST_STORE: 'clickhouse' }) && isWell;
  isWell = run(third, { TEST_STORE: 'windows' }) && isWell;
} else if (second.length > 0) {
  process.stdout.write('not run on ClickHouse, whose engine is not installed: npm run test:clickhouse\n');
}
if (failed !== '') process.stdout.write(`\nThese tests failed:\n\n${failed}`);
process.exit(isWell ? 0 : 1);
