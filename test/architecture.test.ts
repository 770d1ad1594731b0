import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { root } from './root.ts';

/** Rooms by rank (ARCHITECTURE.md): a file imports from its own room and from lower ranks, types included. */
const ranks: Readonly<Record<string, number>> = {
  'errors.ts': 0,
  'free-arrays.ts': 0,
  'limit-notes.ts': 0,
  'log.ts': 0,
  'loop-delay.ts': 0,
  'metrics.ts': 0,
  'config.ts': 0,
  'setting-sources.ts': 0,
  'setting-values.ts': 0,
  'setting.ts': 0,
  'settings.ts': 0,
  'door-settings.ts': 0,
  compiled: 0,
  domain: 0,
  expression: 0,
  protobuf: 0,
  turns: 0,
  alerts: 1,
  wire: 1,
  query: 1,
  live: 1,
  client: 1,
  import: 1,
  store: 2,
  ingest: 3,
  promql: 3,
  replicas: 4,
  workspaces: 3,
  views: 3,
  auth: 4,
  hub: 5,
  mqtt: 5,
  http: 6,
  start: 7,
  'main.ts': 8,
  cli: 9,
  demo: 9,
};

/** Imports within the lowest rank: the pure types may use the error table. */
const bottom: readonly (readonly [from: string, to: string])[] = [
  ['domain', 'errors.ts'],
  ['expression', 'errors.ts'],
  ['expression', 'domain'],
  ['metrics.ts', 'loop-delay.ts'],
  ['config.ts', 'domain'],
  ['config.ts', 'setting.ts'],
  ['config.ts', 'settings.ts'],
  ['config.ts', 'setting-sources.ts'],
  ['setting-sources.ts', 'domain'],
  ['setting-sources.ts', 'setting.ts'],
  ['setting-sources.ts', 'settings.ts'],
  ['setting-sources.ts', 'setting-values.ts'],
  ['settings.ts', 'setting.ts'],
  ['settings.ts', 'setting-values.ts'],
  ['settings.ts', 'door-settings.ts'],
  ['door-settings.ts', 'setting.ts'],
  ['door-settings.ts', 'setting-values.ts'],
];

/** The rooms of each store, of the hub, of queries and of what is on the wire, in their order: each may import those before it. Files beside them come last. */
const embeddedRooms = [
  'rows',
  'files',
  'codecs',
  'log',
  'parts',
  'tombstones',
  'manifest',
  'catalog',
  'snapshot',
  'walk',
  'read',
  'threads',
  'deletes',
  'maintenance',
  'backup',
];
const embedded = 'store/embedded/';
const clickHouseRooms = ['server', 'catalog', 'insert', 'read', 'deletes', 'windows'];
const clickHouse = 'store/clickhouse/';
const hubRooms = ['protocol', 'connection', 'transports'];
const queryRooms = ['bounds', 'groups', 'plan', 'runs', 'states', 'answer'];
const wireRooms = [
  'base',
  'json',
  'requests',
  'rows',
  'lines',
  'series',
  'otlp',
  'collectd',
  'mqtt',
  'answers',
];

const src = join(root, 'src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe('the architecture', () => {
  it('gives every file a room with a rank', () => {
    assert.ok(files.length > 30);
    for (const file of files) assert.ok(roomOf(file) in ranks, `${file} is in no known room`);
  });

  it('lets no file import from a higher rank, types included', () => {
    for (const [file, targets] of imports) {
      for (const target of targets) {
        const isDownward = roomOf(file) === roomOf(target) || ranks[roomOf(target)]! < ranks[roomOf(file)]!;
        const isBottom = bottom.some(([from, to]) => roomOf(file) === from && roomOf(target) === to);
        assert.ok(isDownward || isBottom, `${file} imports ${target}`);
      }
    }
  });

  for (const [store, rooms] of [
    [embedded, embeddedRooms],
    [clickHouse, clickHouseRooms],
    ['hub/', hubRooms],
    ['wire/', wireRooms],
    ['query/', queryRooms],
  ] as const) {
    it(`lets no room of ${store} import a later one, types included`, () => {
      const place = (file: string): number => {
        const [room, ...rest] = file.slice(store.length).split('/');
        if (rest.length === 0) return rooms.length;
        const found = rooms.indexOf(room!);
        assert.ok(found >= 0, `${file} is in no known room of ${store}`);
        return found;
      };
      const own = [...imports].filter(([file]) => file.startsWith(store));
      assert.ok(own.length > 30);
      for (const [file, targets] of own) {
        for (const target of targets.filter((other) => other.startsWith(store)))
          assert.ok(place(target) <= place(file), `${file} imports ${target}`);
      }
    });
  }

  it('lets live data within a process know nothing of NATS', () => {
    const nats = 'live/nats/';
    const beside = [...imports].filter(([file]) => file.startsWith('live/') && !file.startsWith(nats));
    assert.ok(beside.length > 20);
    for (const [file, targets] of beside)
      assert.ok(!targets.some((target) => target.startsWith(nats)), `${file} imports NATS`);
  });

  it('lets reads and deletes of the embedded store come to rows by the walk only', () => {
    // One that forgets a delete brings deleted rows back.
    const walk = [
      'walk/walk.ts',
      'walk/walk-head.ts',
      'walk/walk-parts.ts',
      'walk/walk-ranges.ts',
      'read/mark-streams.ts',
    ];
    // These hold the parts of a snapshot by their indexes and tags, and deletes as records; they look at no rows.
    const others = [
      'walk/indexed-parts.ts',
      'walk/parts-with-tags.ts',
      'deletes/row-delete.ts',
      'deletes/delete-expired.ts',
    ];
    const allowed = [...walk, ...others].map((file) => embedded + file);
    for (const file of allowed) assert.ok(imports.has(file), `there is no ${file}`);
    for (const [file, targets] of imports) {
      if (!/^store\/embedded\/(walk|read|deletes)\//.test(file) || allowed.includes(file)) continue;
      for (const target of targets) {
        assert.doesNotMatch(target, /^store\/embedded\/(tombstones\/|log\/(head|rows-section))/, file);
      }
      assert.doesNotMatch(textOf(file), /\breaders\.open|\.groups(Of|Held)\(|\.readGroup\(/, file);
    }
  });

  it('has no circle of imports', () => {
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      assert.ok(!path.includes(file), `a circle: ${[...path, file].join(' -> ')}`);
      if (done.has(file)) return;
      for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
  });

  it('waits for turns of the event loop by the room of turns only', () => {
    for (const file of files) {
      if (roomOf(file) !== 'turns' && roomOf(file) !== 'client')
        assert.doesNotMatch(textOf(file), /setImmediate/, file);
    }
  });

  it('reads the configuration in start, main, cli and demo only', () => {
    for (const [file, targets] of imports) {
      if (targets.includes('config.ts'))
        assert.ok(['start', 'main.ts', 'cli', 'demo'].includes(roomOf(file)), file);
    }
  });

  it('opens a store in the start only; the command line may verify and restore one, and a replica replace its own', () => {
    for (const [file, targets] of imports) {
      const inside = targets.filter((target) => /^store\/(embedded|clickhouse)\//.test(target));
      if (['store', 'start'].includes(roomOf(file)) || inside.length === 0) continue;
      const name = file === 'replicas/replication.ts' ? 'replace.ts' : file.replace('cli/', '');
      assert.deepEqual(inside, [`store/embedded/${name}`]);
      assert.ok(['cli/verify.ts', 'cli/restore.ts', 'replicas/replication.ts'].includes(file), file);
    }
  });
});

function roomOf(file: string): string {
  return file.split('/')[0]!;
}

function textOf(file: string): string {
  return readFileSync(join(src, file), 'utf8');
}

/** Relative imports of any form, as paths below src. */
function importsOf(file: string): string[] {
  const found = [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)];
  return found.map((match) => normalize(join(dirname(file), match[1]!)));
}
