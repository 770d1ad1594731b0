// Runs the compiled tests with Node's own runner. Node.js 20 takes no patterns there and later ones no folders, so
// the files are listed here; arguments narrow them down to paths that contain one of them. What any store has to do is
// tested a second time on ClickHouse, where its engine is installed, and a third time where each value is a row of samples.
// With --clickhouse nothing runs but what needs the engine, with --samples nothing but the third.
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

/** Of these the ones that look at how values are kept, for samples where not all is asked for. */
const ofSamples = ['conformance/run'];

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

/** Files at one time: most of them wait for processes more than they work. */
const atOnce = Math.max(3, availableParallelism());

/**
 * What takes longest, the longest first: these files begin, so that none of them is left for the end and runs there alone.
 * All others follow by name.
 */
const longest = [
  'on-clickhouse/conformance/run',
  'e2e/explorer-live',
  'store/calculated/pages',
  'store/clickhouse/insert/writes',
  'store/calculated/calculated-rows',
  'e2e/explorer-math',
  'docs/blocks',
  'e2e/explorer-notes',
  'store/clickhouse/read/same-answers',
  'e2e/explorer-views',
  'store/clickhouse/catalog/catalog',
  'e2e/explorer-manners',
  'store/clickhouse/long-lists',
  'e2e/explorer-map',
  'on-samples/conformance/run',
  'conformance/run',
  'e2e/explorer-plots',
  'store/clickhouse/read/reads',
  'conformance/read-threads',
  'e2e/nodes',
  'docs/examples',
  'e2e/explorer-states',
  'store/clickhouse/server/one-server-away',
  'e2e/explorer-compare',
  'fuzz/targets',
];

/** The compiler leaves behind what it made of files that are gone. */
const hasSource = (name) => existsSync(join(sources, name.replace(/js$/, 'ts')));

const given = process.argv.slice(2);
const isSamplesOnly = given.includes('--samples');
const isClickHouseOnly = given.includes('--clickhouse') || isSamplesOnly;
const wanted = given.filter((word) => word !== '--clickhouse' && word !== '--samples');
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
  : files.filter((name) => isOneOf(name, ofSamples));
/** Tests that need the engine leave out what takes long, unless they are asked for by themselves. */
const extent = isClickHouseOnly ? { CLICKHOUSE_TESTS: 'all' } : {};

const rooms = fileURLToPath(new URL('../build/test-rooms', import.meta.url));

/** A file of ours that runs others, below the folder of rooms. */
function writeRoom(name, text) {
  const path = join(rooms, `${name}.test.js`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text(dirname(path)));
  return path;
}

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
  for (const [room, found] of inRooms) {
    if (found.length === 0) continue;
    const imports = (from) =>
      found.map((name) => `import '${relative(from, join(folder, name))}';\n`).join('');
    paths.push(writeRoom(room, imports));
  }
  return paths;
}

/** The paths of files that run these on another store. */
function pathsOn(store, names) {
  return names.map((name) =>
    writeRoom(join(`on-${store}`, name.replace(/\.test\.js$/, '')), (from) => {
      const path = relative(from, join(folder, name));
      return `process.env['TEST_STORE'] = '${store}';\nawait import('${path}');\n`;
    }),
  );
}

/** Where a path stands among the longest; behind them unless it is one. */
function rankOf(path) {
  const own = relative(path.startsWith(join(rooms, '/')) ? rooms : folder, path);
  const at = longest.findIndex((name) => own === join(`${name}.test.js`));
  return at < 0 ? longest.length : at;
}

const runner = fileURLToPath(new URL('run-in-order.js', import.meta.url));
const list = fileURLToPath(new URL('../build/tests-to-run.txt', import.meta.url));
const failures = fileURLToPath(new URL('../build/failed-tests.txt', import.meta.url));

/** What failed in all runs, to be told at the end. */
let failed = '';

/** Runs the files to their end and tells whether all went well. */
function run(paths) {
  if (paths.length === 0) return true;
  const inOrder = paths.toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  rmSync(failures, { force: true });
  writeFileSync(list, inOrder.map((path) => `${path}\n`).join(''));
  const { status } = spawnSync(
    process.execPath,
    ['--enable-source-maps', runner, list, String(atOnce), failures],
    { stdio: 'inherit', env: { ...process.env, ...extent } },
  );
  if (existsSync(failures)) failed += readFileSync(failures, 'utf8');
  return status === 0;
}

rmSync(rooms, { recursive: true, force: true });
let isWell = isSamplesOnly || run(pathsOf(first));
if (existsSync(engine)) {
  // One after the other: two engines that all scripts ask at once answer too late on a small machine.
  if (!isSamplesOnly) isWell = run(pathsOn('clickhouse', second)) && isWell;
  isWell = run(pathsOn('samples', third)) && isWell;
} else if (second.length > 0) {
  process.stdout.write('not run on ClickHouse, whose engine is not installed: npm run test:clickhouse\n');
}
if (failed !== '') process.stdout.write(`\nThese tests failed:\n\n${failed}`);
process.exit(isWell ? 0 : 1);
