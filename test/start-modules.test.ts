import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { root } from './root.ts';

/** Packages that a start loads; each costs it some milliseconds. Others are loaded where they are used. */
const atStart = [
  '@fastify/cors',
  '@msgpack/msgpack',
  'fastify',
  'pino',
  'prom-client',
  're2js',
  'tar-stream',
  'ws',
];

const src = join(root, 'src');
const bundle = join(root, 'dist/bundle');
/** Imports that are not types, at the beginning of a line, so that those within functions are left out. */
const imports = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;

describe('a start', () => {
  it('loads no package that only few use', () => {
    const packages = new Set(
      [...loadedWith('cli/pitwall.ts', 'main.ts')].flatMap((file) =>
        importsOf(file).filter((name) => !/^(\.|node:)/.test(name)),
      ),
    );
    assert.deepEqual([...packages].sort(), atStart);
  });

  it('loads neither the other store nor what few answers need', () => {
    const files = [...loadedWith('cli/pitwall.ts', 'main.ts')];
    assert.ok(files.includes('store/embedded/store.ts'));
    const rare = [/^store\/clickhouse\//, /^wire\/parameter-data-(arrow|parquet)/];
    for (const file of files) for (const pattern of rare) assert.doesNotMatch(file, pattern);
  });

  it('takes its modules from the bundle, those of the service but for Node.js in one file', () => {
    assert.match(readFileSync(join(root, 'dist/cli/pitwall.js'), 'utf8'), /'\.\.\/bundle\/start\.cjs'/);
    assert.match(readFileSync(join(bundle, 'start.cjs'), 'utf8'), /"serving\.cjs"/);
    for (const file of ['serving', 'pitwall']) {
      const code = readFileSync(join(bundle, `${file}.cjs`), 'utf8');
      const loaded = [...code.matchAll(/^(?:const|let|var) \w+ = require\("([^"]+)"\);/gm)].map(
        (found) => found[1]!,
      );
      assert.ok(loaded.includes('node:fs'));
      assert.deepEqual(
        loaded.filter((name) => !/^node:|^\.\/pitwall-/.test(name)),
        [],
        file,
      );
    }
  });

  it('has a bundle for each thread', () => {
    const threads = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        [...readFileSync(join(src, file), 'utf8').matchAll(/new URL\('(\.[^']+-worker)\.js', import/g)].map(
          (found) => normalize(join(dirname(file), found[1]!)),
        ),
      );
    assert.ok(threads.includes('store/embedded/maintenance/background-worker'));
    assert.ok(threads.includes('store/embedded/threads/read-worker'));
    const serving = readFileSync(join(bundle, 'serving.cjs'), 'utf8');
    for (const thread of threads) {
      const name = thread.replaceAll(/[\\/]/g, '-');
      assert.ok(serving.includes(`"./${name}.start.cjs"`), name);
      for (const end of ['start.cjs', 'cjs']) assert.ok(existsSync(join(bundle, `${name}.${end}`)), name);
    }
  });

  it('finds compiled what it loads, and its threads too', () => {
    const kept = readdirSync(join(bundle, 'cache')).map((name) => name.replace(/\.cjs-.*$/, ''));
    for (const name of [
      'pitwall',
      'serving',
      'store-embedded-maintenance-background-worker',
      'store-embedded-threads-read-worker',
    ])
      assert.ok(kept.includes(name), name);
  });
});

/** Files below src that are loaded with these. */
function loadedWith(...files: readonly string[]): Set<string> {
  const found = new Set(files);
  for (const file of found) {
    for (const name of importsOf(file))
      if (name.startsWith('.')) found.add(normalize(join(dirname(file), name)));
  }
  return found;
}

function importsOf(file: string): string[] {
  return [...readFileSync(join(src, file), 'utf8').matchAll(imports)].map((match) => match[1]!);
}
