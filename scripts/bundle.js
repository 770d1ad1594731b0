// What the command loads, in a few files: dist/bundle/. A start reads these instead of a thousand modules. The service,
// the other commands and each thread have a bundle of their own, so that what runs often calls nothing in other files.
// They are CommonJS, of which what was compiled can be kept (src/compiled/); dist/cli/pitwall.js becomes what runs them.
// The modules that the compiler wrote stay beside them.
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
  /^(node:|@clickhouse\/|@fastify\/(?:ajv-compiler|fast-json-stringify-compiler)|light-my-request|@microsoft\/|@nats-io\/|apache-arrow|bufferutil|hyparquet|mqtt-packet|snappy|utf-8-validate)/;

const isPackage = (id) => !/^[./\0]/.test(id);

/** The modules that threads begin with, by the name of their bundle. */
const threads = new Map();

/** Modules go on from where they were: threads from their own bundle, other files by their old places. */
const places = {
  name: 'places',
  transform(code, id) {
    if (!id.startsWith(dist + sep) || !code.includes('import.meta.url')) return null;
    const begun = code.replaceAll(/new URL\('(\.[^']+-worker)\.js', import\.meta\.url\)/g, (_found, path) => {
      const thread = `${resolve(dirname(id), path)}.js`;
      const name = relative(dist, thread).replaceAll(sep, '-').slice(0, -'.js'.length);
      threads.set(name, thread);
      return `new URL('./${name}.start.cjs', import.meta.bundle)`;
    });
    const place = `new URL('${relative(target, id).replaceAll(sep, '/')}', import.meta.bundle).href`;
    return begun.replaceAll('import.meta.url', place).replaceAll('import.meta.bundle', 'import.meta.url');
  },
};

/** Code that was compiled before cannot import by itself: it asks what runs it. */
const imports = {
  name: 'imports',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      file.code = file.code.replace(/^#!.*/, '').replaceAll(/\bawait import\((?=")/g, 'await importOther(');
      const other = /^(?!\s*\*|\s*\/\*\*).*\bimport\(.*/m.exec(file.code);
      if (other !== null) throw new Error(`${file.fileName}: ${other[0]} is not known to what runs it`);
      if (/[^\0-\x7f]/.test(file.code)) throw new Error(`${file.fileName} is not in ASCII`);
    }
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

const modules = new Set();

/** @param more packages and modules that stay where they are */
async function bundle(name, input, more = () => false) {
  const made = await rolldown({
    input: { [name]: input },
    platform: 'node',
    external: (id) => more(id) || (isPackage(id) && apart.test(id)),
    plugins: [places, imports],
    // The service is loaded at once in its own bundle.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await made.write({
    dir: target,
    format: 'cjs',
    comments: false,
    // In ASCII the engine keeps a byte for each character, and reading one is no decoding.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
    entryFileNames: '[name].cjs',
    chunkFileNames: `${name}-[name]-[hash].cjs`,
  });
  await made.close();
  for (const file of output) for (const id of file.moduleIds ?? []) modules.add(id);
}

/** A file that runs a bundle: no more than it needs to find what was compiled. */
async function starter(input, file, plugins = []) {
  const made = await rolldown({ input, platform: 'node', plugins });
  await made.write({ file, format: 'cjs' });
  await made.close();
}

/** The module that runs the bundle of a thread. */
function threadStart(name) {
  return {
    name: 'thread-start',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null;
      const runner = JSON.stringify(join(dist, 'compiled/run-file.js'));
      return `import { runFile } from ${runner};\nrunFile(__dirname, '${name}.cjs');\n`;
    },
  };
}

rmSync(target, { recursive: true, force: true });
await bundle('serving', join(dist, 'cli/serving.js'));
// The service has its own.
await bundle('pitwall', command, (id) => /(^|[\\/])main\.js$/.test(id));
for (const [name, thread] of threads) {
  await bundle(name, thread);
}
const line = '-'.repeat(80);
writeFileSync(join(target, 'LICENSES.txt'), `${licences(modules).join(`\n\n${line}\n\n`)}\n`);
if (!existsSync(join(target, 'pitwall.cjs'))) throw new Error('the bundle has no command');
await starter(join(dist, 'cli/bundled.js'), join(target, 'start.cjs'));
// A module that imports no other one, for each of Node.js's costs a millisecond to import.
writeFileSync(
  command,
  `#!/usr/bin/env node
process.getBuiltinModule('node:module').createRequire(import.meta.url)('../bundle/start.cjs');
`,
);
for (const name of threads.keys()) {
  await starter(name, join(target, `${name}.start.cjs`), [threadStart(name)]);
}
