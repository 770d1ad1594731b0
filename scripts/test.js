// Compiles what changed, and runs the tests. `npm test` runs them once, on the embedded store; words narrow them down to paths
// that contain one of them, and then what needs the engine of ClickHouse runs too. With --long it runs the rest (npm run
// test:long): all on ClickHouse, more cases of random tests, and what soaks. With --built it compiles nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildFor } from './test/build.js';
import { inOrder, keepTimes, readTimes, slowest } from './test/times.js';
import { longUnits, shortUnits, soakUnits, testFiles } from './test/units.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const build = join(root, 'build');
const tests = join(build, 'test');
const rooms = join(build, 'test-rooms');
const list = join(build, 'tests-to-run.txt');
const failures = join(build, 'failed-tests.txt');
const times = join(build, 'times-of-this-run.txt');

/** Units at one time: most of them wait for processes more than they work. */
const atOnce = Math.max(3, availableParallelism());

const given = process.argv.slice(2);
const isLong = given.includes('--long');
const words = given.filter((word) => !word.startsWith('--'));
const unknown = given.find((word) => word.startsWith('--') && word !== '--long' && word !== '--built');
if (unknown !== undefined) stop(`${unknown} is no option: there are --long and --built`);

/** See test/extent.ts. */
const extent = isLong ? 'long' : words.length > 0 ? 'chosen' : 'short';
/** All that tests need is built then. */
const isWhole = words.length === 0;
const isWanted = (path) => isWhole || words.some((word) => path.includes(word));
const files = testFiles(join(root, 'test')).filter(({ path }) => isWanted(path));
const chosen = isLong
  ? files.filter(
      ({ needsEngine, hasMore, soaks, isOfAnyStore }) => needsEngine || hasMore || soaks || isOfAnyStore,
    )
  : files;
const soaking = isLong ? soakUnits(isWanted) : [];
if (chosen.length === 0 && soaking.length === 0) stop(`no test has ${words.join(' or ')} in its path`);

const start = performance.now();
const chosenPaths = chosen.map(({ path }) => path);
if (!given.includes('--built')) buildFor(root, chosenPaths, soaking.length > 0 || isWhole);
const engine = isLong ? await engineOf() : {};
const units = isLong ? [...soaking, ...longUnits(chosen, engine)] : shortUnits(chosen, extent === 'chosen');

rmSync(rooms, { recursive: true, force: true });
for (const path of [failures, times]) rmSync(path, { force: true });
mkdirSync(build, { recursive: true });
const paths = inOrder(units, readTimes(build)).map(writeUnit);
writeFileSync(list, paths.map((path) => `${path}\n`).join(''));
const { status } = spawnSync(
  process.execPath,
  ['--enable-source-maps', join(root, 'scripts/test/run-in-order.js'), list, String(atOnce), failures],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_TIMES: times, TEST_EXTENT: extent },
  },
);
report();
process.exit(status === 0 ? 0 : 1);

function stop(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

/** What this machine has of what tests on ClickHouse need, as the tests themselves find out. */
async function engineOf() {
  const { clusterMissing } = await import(join(tests, 'clickhouse/cluster/start-cluster.js'));
  const { engineMissing } = await import(join(tests, 'clickhouse/engine.js'));
  if (engineMissing !== false) process.stdout.write(`not run on ClickHouse: ${engineMissing}\n`);
  else if (clusterMissing !== false) process.stdout.write(`not run on a cluster: ${clusterMissing}\n`);
  return { isEngineThere: engineMissing === false, isClusterThere: clusterMissing === false };
}

/** The file that runs a unit. */
function writeUnit({ name, before, files, env = {}, program, args }) {
  const path = join(rooms, `${name.replace(':', '-')}.test.js`);
  const from = (other) => JSON.stringify(relative(dirname(path), other).replaceAll('\\', '/'));
  const lines = [
    `import { expectFiles, tellProcessorTime, testFile } from ${from(join(root, 'scripts/test/processor-time.js'))};`,
    `tellProcessorTime(${JSON.stringify(name)});`,
    ...(isWhole ? [`import ${from(join(root, 'scripts/test/bundled-threads.js'))};`] : []),
    ...(before === undefined ? [] : [`import ${from(join(tests, `${before}.js`))};`]),
    ...Object.entries(env).map(([key, value]) => `process.env['${key}'] = '${value}';`),
    ...(files.length > 1 ? [`expectFiles(${files.length});`] : []),
    ...files.map((file) => {
      const loaded = `import(${from(join(tests, `${file}.test.js`))})`;
      if (files.length === 1) return `await ${loaded};`;
      // Between two files nothing is left to do, and what is to come after all tests comes.
      return `${before === undefined ? 'await ' : ''}testFile('${file}', () => ${loaded});`;
    }),
  ];
  if (program !== undefined) {
    lines.push(
      `import { testProgram } from ${from(join(root, 'scripts/test/test-program.js'))};`,
      `testProgram('npm run ${name}', ${JSON.stringify(join(tests, `${program}.js`))}, ${JSON.stringify(args)});`,
    );
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** What took how long, and what failed. */
function report() {
  const { total, taken } = keepTimes(build, times);
  const minutes = ((performance.now() - start) / 60_000).toFixed(1);
  process.stdout.write(
    `\n${(total / 60).toFixed(1)} minutes of processor time in ${minutes} minutes. What took most, s:\n`,
  );
  for (const [unit, seconds] of slowest(taken)) {
    process.stdout.write(`${seconds.toFixed(1).padStart(8)}  ${unit}\n`);
  }
  if (existsSync(failures)) {
    const failed = readFileSync(failures, 'utf8');
    if (failed !== '') process.stdout.write(`\nThese tests failed:\n\n${failed}`);
  }
}
