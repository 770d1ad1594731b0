// A unit is what runs in a process of its own: one test file, or several quick ones, for to start a process and to load what
// they share would take longer than their tests. Paths of test files are given without their ending, from the folder test/.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is asked of every store, over HTTP and the hub: it runs on ClickHouse too. */
const ofAnyStore = [
  'client/client',
  'client/live',
  'client/replay/replay',
  'client/views',
  'client/writer',
  'conformance/run',
  'e2e/catalogue',
  'e2e/deletes',
  'e2e/differential',
  'e2e/event-data',
  'e2e/events',
  'e2e/formats',
  'e2e/hub',
  'e2e/hub-official-client',
  'e2e/hub-other-clients',
  'e2e/line-protocol',
  'e2e/shares',
  'e2e/shares-hub',
  'e2e/tokens',
  'promql/answers',
  'promql/query-api',
];

/** What of it runs on two shards of two replicas as well. */
const ofCluster = ['conformance/run', 'e2e/deletes'];

/** What starts services or browsers, or has its process read settings. */
const alone =
  /^(client|conformance|demo|docs|e2e|fuzz)\/|^live\/nats-link|^store\/embedded\/(log\/commit-log|simulation\/)/;

/** What looks at the page in a browser: such files share a browser and a service, which end with their process. */
const ofPage = /^e2e\/explorer/;
/** What has them: it is loaded before the files. */
const pageParts = 'e2e/explorer-page';
/** Of these one process has so many at most. */
const pagesAtMost = 11;

/** What a test imports that needs the engine of ClickHouse. */
const engine = /\/(engine|engine-databases|start-cluster|nodes-cluster)\.ts'/;
/** What a test uses that measures the memory of its process. */
const memory = /\/collected\.ts'|getHeapStatistics/;
/** What a test imports that does more where there is time. */
const extent = /from '[^']*\/extent\.ts'/;

/**
 * What lasts long, in seconds, before it has run here: most of it waits. It begins early, so that it does not run at the end
 * alone.
 */
const lasting = {
  'conformance/run': 55,
  'e2e/alerts': 27,
  'e2e/backup': 20,
  'e2e/catalogue-faults': 28,
  'e2e/connection-limits': 11,
  'e2e/copy': 60,
  'e2e/copy-replicas': 17,
  'e2e/differential': 16,
  'e2e/export': 16,
  'e2e/full-disk': 68,
  'e2e/held-bodies': 16,
  'e2e/hub-large-arguments': 14,
  'e2e/import-position': 11,
  'e2e/mqtt-mosquitto': 15,
  'e2e/replicas': 90,
  'e2e/replicas-clocks': 19,
  'e2e/replicas-mqtt': 13,
  'e2e/shares-hub': 12,
  'e2e/small-budgets': 24,
  'e2e/stalled-readers': 42,
};
/** The same of what shares a process, and of programs that soak for as long as they are given. */
const lastingShared = { quick: 80, 'e2e/explorers': 150 };
const lastingSoaks = 600;

/** What soaks: `npm test` leaves it to `npm run test:long`. */
const soakingFiles = [
  'conformance/replicas',
  'docs/blocks',
  'e2e/alerts-crash',
  'e2e/deletes-crash',
  'e2e/mqtt-crash',
  'e2e/replicas-full-disk',
  'e2e/replicas-lost-tail',
  'e2e/replicas-partition',
  'fuzz/targets',
  'ingest/alerts/simulation/simulation',
  'store/embedded/faults/faults',
  'store/embedded/simulation/simulation',
];

/** What soaks for as long as it is given: programs that try other seeds, or for longer, by their scripts in package.json. */
const soaks = [
  { name: 'test:crash', program: 'e2e/crash-run', args: ['--rounds', '15'] },
  { name: 'test:replicas', program: 'e2e/replicas-run', args: ['--rounds', '10'] },
  { name: 'test:faults', program: 'store/embedded/faults/fault-run', args: ['--faults', '300'] },
  { name: 'test:simulate', program: 'store/embedded/simulation/simulate-run', args: ['--seconds', '60'] },
  { name: 'test:alerts', program: 'ingest/alerts/simulation/simulate-run', args: ['--seconds', '30'] },
  { name: 'test:fuzz', program: 'fuzz/fuzz-run', args: ['--seconds', '3'] },
];

/** The test files of the sources, each with whether it needs the engine, and whether it does more where there is time. */
export function testFiles(sources) {
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(sources, path), 'utf8');
      const name = path.replaceAll('\\', '/').slice(0, -'.test.ts'.length);
      return {
        path: name,
        isOfAnyStore: ofAnyStore.includes(name),
        soaks: soakingFiles.includes(name),
        needsEngine: engine.test(text),
        hasMore: extent.test(text),
        isAlone: alone.test(name) || memory.test(text),
        bytes: text.length,
      };
    });
}

const own = (file, more = {}) => ({
  name: file.path,
  files: [file.path],
  bytes: file.bytes,
  lasts: lasting[file.path],
  ...more,
});

/** What `npm test` runs, all of it where files were chosen. What needs the engine is as quick as all others where it is skipped. */
export function shortUnits(files, areChosen) {
  const wanted = files.filter(({ soaks }) => areChosen || !soaks);
  const quick = wanted.filter(({ isAlone, needsEngine }) => !isAlone && !(areChosen && needsEngine));
  const pages = wanted.filter(({ path }) => ofPage.test(path));
  const others = wanted.filter((file) => !quick.includes(file) && !pages.includes(file));
  return [
    ...shared('quick', quick, atMost),
    ...shared('e2e/explorers', pages, pagesAtMost, pageParts),
    ...others.map((file) => own(file)),
  ];
}

/** Quick files that share a process: with more of them its heap grows, and each look of the collector at it takes longer. */
const atMost = 60;

/** @param before what is loaded before the files, and lasts longer than each of them */
function shared(name, all, most, before) {
  const count = Math.ceil(all.length / most);
  return Array.from({ length: count }, (_, i) => {
    const files = all.slice((i * all.length) / count, ((i + 1) * all.length) / count);
    return {
      name: `${name}-${i + 1}`,
      before,
      files: files.map(({ path }) => path),
      bytes: Infinity,
      lasts: lastingShared[name],
    };
  });
}

/** What `npm run test:long` runs: what npm test does not, or not for as long. */
export function longUnits(files, { isEngineThere, isClusterThere }) {
  const isOf = (paths) => files.filter(({ path }) => paths.includes(path));
  const on = (store, paths) =>
    isOf(paths).map((file) => own(file, { name: `on-${store}/${file.path}`, env: { TEST_STORE: store } }));
  return [
    ...files
      .filter(({ needsEngine, hasMore, soaks }) => hasMore || soaks || (needsEngine && isEngineThere))
      .map((file) => own(file)),
    ...(isEngineThere ? on('clickhouse', ofAnyStore) : []),
    ...(isClusterThere ? on('cluster', ofCluster) : []),
  ];
}

export const soakUnits = (isWanted) =>
  soaks
    .filter(({ name }) => isWanted(name))
    .map((soak) => ({
      ...soak,
      files: [],
      bytes: Infinity,
      lasts: lastingSoaks,
    }));
