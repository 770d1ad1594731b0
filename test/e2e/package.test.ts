import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../root.ts';
import { adminToken, startService, temporaryFolder } from './service.ts';

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/** Without the variables of the machine that runs the tests, nor those of the npm that started them. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(PITWALL_|npm_)/.test(name)),
);

/** A program that hangs fails. */
const patienceMs = 120_000;

function run(
  folder: string,
  command: string,
  args: readonly string[],
  extra: NodeJS.ProcessEnv = {},
): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: patienceMs,
    env: { ...env, ...extra },
  });
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}

describe('the package', async () => {
  const folder = temporaryFolder();
  const modules = join(folder, 'node_modules');
  const home = join(modules, 'pitwall');
  const packed = pack();
  install();

  /** What is built is packed as it is: the tests run from it. */
  function pack(): Packed {
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const [packed] = JSON.parse(run(root, 'npm', args)) as Packed[];
    return packed!;
  }

  /** As npm would do it, with the dependencies that are there instead of a registry's. */
  function install(): void {
    mkdirSync(modules);
    run(folder, 'tar', ['-xzf', packed.filename]);
    renameSync(join(folder, 'package'), home);
    const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
      dependencies: Record<string, string>;
      peerDependencies: Record<string, string>;
    };
    const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    for (const name of [...needed, '@types/node']) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
    }
    mkdirSync(join(modules, '.bin'));
    for (const [name, file] of Object.entries(manifest.bin)) {
      symlinkSync(join('../pitwall', file), join(modules, '.bin', name));
    }
    writeFileSync(join(folder, 'package.json'), '{"name":"a-user","private":true}');
  }

  it('has what runs, the explorer and the pages, and neither sources nor tests', () => {
    const paths = packed.files.map(({ path }) => path);
    for (const needed of [
      'package.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'dist/cli/pitwall.js',
      'dist/client/client.js',
      'dist/client/client.d.ts',
      'dist/web/index.html',
      'docs/README.md',
      'examples/write.js',
      'packaging/pitwall.service',
    ]) {
      assert.ok(paths.includes(needed), needed);
    }
    for (const path of paths) {
      assert.doesNotMatch(
        path,
        /^(src|test|web|bench(?!\/README\.md$)|build|scripts|node_modules)\/|\.map$|\.test\./,
      );
      if (path.endsWith('.ts')) assert.match(path, /^dist\/.*\.d\.ts$/);
    }
    assert.ok(paths.some((path) => /^dist\/web\/assets\/.*\.js$/.test(path)));
    const command = packed.files.find(({ path }) => path === 'dist/cli/pitwall.js')!;
    assert.equal(command.mode & 0o111, 0o111);
  });

  it('has a command', () => {
    assert.match(
      run(folder, 'npx', ['--no-install', 'pitwall', '--help']),
      /^pitwall \[COMMAND\][\s\S]+serve[\s\S]+import/m,
    );
  });

  it('serves the explorer from there', async () => {
    const program = `
      const { loadConfig } = await import(${JSON.stringify(join(home, 'dist/config.js'))});
      const { startService } = await import(${JSON.stringify(join(home, 'dist/main.js'))});
      const { createLog } = await import(${JSON.stringify(join(home, 'dist/log.js'))});
      const argv = ['--data-dir', 'data', '--listen', '127.0.0.1:0'];
      const service = await startService(loadConfig({ argv, env: {} }), createLog('silent'));
      const page = await fetch(service.addresses[0].url);
      console.log(page.status, page.headers.get('content-type'));
      await service.stop();`;
    assert.match(run(folder, process.execPath, ['--input-type=module', '-e', program]), /^200 text\/html/);
  });

  it('has the client as an ES module, live data included', async () => {
    const { url } = await startService();
    const program = `
      import { createClient } from 'pitwall/client';
      const client = createClient({ url: process.env.URL, token: process.env.TOKEN });
      const live = client.live();
      const connected = new Promise((resolve) => live.onConnection(resolve));
      const items = live.parameterData({ topic: 't' });
      await connected;
      await client.writeParameterData('t', 's', { timestamps: [3n], numericValues: { n: [0.5] } });
      const { value } = await items.next();
      console.log(value.streamId, String(value.timestamps[0]), value.numericValues.n[0]);
      await live.close();`;
    writeFileSync(join(folder, 'use.mjs'), program);
    const output = run(folder, process.execPath, ['use.mjs'], { URL: url, TOKEN: adminToken });
    assert.equal(output, 's 3 0.5\n');
  });

  it('has the client for programs with require, too', () => {
    writeFileSync(join(folder, 'use.cjs'), `console.log(typeof require('pitwall/client').createClient)`);
    assert.equal(run(folder, process.execPath, ['use.cjs']), 'function\n');
  });

  it('has types that strict compilers accept, for Node.js and for browsers, libraries checked', () => {
    writeFileSync(
      join(folder, 'use.mts'),
      `import { createClient, type ParameterData, RequestError } from 'pitwall/client';
const client = createClient({ url: 'http://127.0.0.1', token: async () => 'secret' });
export const data: ParameterData = await client.query({ topic: 't', from: 1n });
export const times: readonly bigint[] = data.timestamps;
// @ts-expect-error: times are bigints
await client.query({ from: 1 });
// @ts-expect-error: a typing error
await client.streams({ topik: 't' });
export const code: string | undefined = new RequestError(400, {}).code;
for await (const { streamId } of client.live().parameterData({ topic: 't' })) streamId satisfies string;
`,
    );
    const options = { target: 'es2022', strict: true, exactOptionalPropertyTypes: true, noEmit: true };
    for (const [name, place] of [
      ['node', { module: 'nodenext', lib: ['es2022'], types: ['node'] }],
      [
        'browser',
        {
          module: 'esnext',
          moduleResolution: 'bundler',
          lib: ['es2022', 'dom', 'esnext.disposable'],
          types: [],
        },
      ],
    ] as const) {
      const compilerOptions = { ...options, ...place, skipLibCheck: false };
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify({ compilerOptions, files: ['use.mts'] }));
      run(folder, process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', file]);
    }
  });

  it('has a client that imports its own files alone, and the hub library when it is asked for', () => {
    const client = join(home, 'dist/client');
    const files = readdirSync(client, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.js'),
    );
    assert.ok(files.length > 5);
    const imported = new Set<string>();
    for (const file of files) {
      const text = readFileSync(join(client, file), 'utf8');
      const isOwn = (target: string): boolean => {
        const path = resolve(client, dirname(file), target);
        return /^\.\.?\//.test(target) && path.startsWith(client + sep) && existsSync(path);
      };
      for (const [, target] of text.matchAll(/^(?:import|export)\b[^;]*?\bfrom\s*['"]([^'"]+)['"]/gm))
        assert.ok(isOwn(target!), `${file}: ${target}`);
      for (const [, target] of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g))
        if (!isOwn(target!)) imported.add(target!);
      assert.doesNotMatch(text, /\brequire\(|^import\s*['"]|\bBuffer\b|\bprocess\./m, file);
    }
    assert.deepEqual([...imported], ['@microsoft/signalr']);
  });

  it('has a client that reads and writes without the hub library', async () => {
    const { url } = await startService();
    const other = temporaryFolder();
    mkdirSync(join(other, 'node_modules'));
    run(other, 'cp', ['-r', home, join(other, 'node_modules/pitwall')]);
    // A package without code: a folder above may have the real one.
    mkdirSync(join(other, 'node_modules/@microsoft/signalr'), { recursive: true });
    const nothing = '{"name":"@microsoft/signalr","exports":{}}';
    writeFileSync(join(other, 'node_modules/@microsoft/signalr/package.json'), nothing);
    writeFileSync(
      join(other, 'use.mjs'),
      `import { createClient } from 'pitwall/client';
      const client = createClient({ url: process.env.URL, token: process.env.TOKEN });
      console.log(JSON.stringify(await client.streams()));
      await client.live().parameterData({ topic: 't' }).next().catch(({ message }) => console.log(message));`,
    );
    const output = run(other, process.execPath, ['use.mjs'], { URL: url, TOKEN: adminToken });
    assert.match(output, /^\[\]\n.*@microsoft\/signalr/);
  });
});
