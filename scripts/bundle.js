// What the command loads, in a few files: dist/bundle/. A start reads these instead of a thousand modules.
// dist/cli/pitwall.js becomes a few lines that import them; the modules that the compiler wrote stay beside them.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const target = join(dist, 'bundle');
const command = join(dist, 'cli/pitwall.js');

/** Packages that stay where they are: native ones, what few use or nobody, and what has files of its own. */
const apart =
  /^(node:|@clickhouse\/|@fastify\/(?:ajv-compiler|fast-json-stringify-compiler|swagger-ui)|light-my-request|@microsoft\/|@nats-io\/|apache-arrow|bufferutil|hyparquet|lmdb|utf-8-validate)/;

const isPackage = (id) => !/^[./\0]/.test(id);

/** Modules go on from where they were: threads from their own bundle, other files by their old places. */
const places = {
  name: 'places',
  transform(code, id) {
    if (!id.startsWith(dist + sep) || !code.includes('import.meta.url')) return null;
    const threads = code.replaceAll(
      /new Worker\(new URL\('(\.[^']+\.js)', import\.meta\.url\)/g,
      (_found, path) => {
        const thread = resolve(dirname(id), path);
        const fileName = `${relative(dist, thread).replaceAll(sep, '-').slice(0, -'.js'.length)}.js`;
        this.emitFile({ type: 'chunk', id: thread, fileName });
        return `new Worker(new URL('./${fileName}', import.meta.bundle)`;
      },
    );
    const place = `new URL('${relative(target, id).replaceAll(sep, '/')}', import.meta.bundle).href`;
    return threads.replaceAll('import.meta.url', place).replaceAll('import.meta.bundle', 'import.meta.url');
  },
};

/** The licences of the packages that are in the bundle. */
function licences(modules) {
  const packages = new Set();
  for (const id of modules) {
    const found = /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id.replaceAll('\0', ''));
    if (found !== null) packages.add(found[0]);
  }
  return [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
}

rmSync(target, { recursive: true, force: true });
const bundle = await rolldown({
  input: { pitwall: command },
  platform: 'node',
  external: (id) => isPackage(id) && apart.test(id),
  plugins: [places],
});
const { output } = await bundle.write({
  dir: target,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
const line = '-'.repeat(80);
writeFileSync(join(target, 'LICENSES.txt'), `${licences(modules).join(`\n\n${line}\n\n`)}\n`);
if (!existsSync(join(target, 'pitwall.js'))) throw new Error('the bundle has no command');
writeFileSync(
  command,
  `#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Node.js 22.1 and newer: what they have compiled, as scripts/keep-compiled.js wrote it.
module.enableCompileCache?.(fileURLToPath(new URL('../bundle/cache', import.meta.url)));
await import('../bundle/pitwall.js');
`,
);
