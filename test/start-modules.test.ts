import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { root } from './root.ts';

/** Packages that a start loads; each costs it some milliseconds. Others are loaded where they are used. */
const atStart = [
  '@fastify/compress',
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
    const rare = [/^store\/clickhouse\//, /^wire\/parameter-data-(arrow|parquet)/, /lmdb-folder/];
    for (const file of files) for (const pattern of rare) assert.doesNotMatch(file, pattern);
  });

  it('takes its modules from the bundle', () => {
    const bundle = join(root, 'dist/bundle');
    assert.match(
      readFileSync(join(root, 'dist/cli/pitwall.js'), 'utf8'),
      /^await import\('\.\.\/bundle\/pitwall\.js'\);$/m,
    );
    const seen = new Set<string>();
    const packages = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, name] of readFileSync(join(bundle, file), 'utf8').matchAll(imports)) {
        if (name!.startsWith('./')) visit(name!.slice(2));
        else if (!name!.startsWith('node:')) packages.add(name!);
      }
    };
    visit('pitwall.js');
    visit(readdirSync(bundle).find((file) => /^main-.*\.js$/.test(file))!);
    assert.deepEqual([...packages], []);
    assert.ok(seen.size < 30, `${seen.size} files`);
  });

  it('has a bundle for each thread', () => {
    const threads = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        [...readFileSync(join(src, file), 'utf8').matchAll(/new Worker\(\s*new URL\('(\.[^']+)'/g)].map(
          (found) => normalize(join(dirname(file), found[1]!)),
        ),
      );
    assert.ok(threads.includes('store/embedded/maintenance/background-worker.js'));
    for (const thread of threads)
      assert.ok(existsSync(join(root, 'dist/bundle', thread.replaceAll(/[\\/]/g, '-'))), thread);
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
