import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../e2e/service.ts';

const runner = fileURLToPath(new URL('../../src/compiled/run-file.js', import.meta.url));

/** Runs `main.cjs` of the folder in a process of its own; what it prints. */
function run(folder: string, ...flags: string[]): string {
  const program = `import { runFile } from ${JSON.stringify(runner)}; runFile(${JSON.stringify(folder)}, 'main.cjs');`;
  const args = [...flags, '--input-type=module', '-e', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

function bundleOf(files: Readonly<Record<string, string>>): string {
  const folder = join(temporaryFolder(), 'bundle');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const twoFiles = {
  'main.cjs': "const { half } = require('./half.cjs');\nconsole.log(half(42));\n",
  'half.cjs': 'exports.half = (value) => value / 2;\n',
};

const cacheOf = (folder: string): string => join(folder, 'cache');

describe('a file of the bundle', () => {
  it('runs with what it requires of the bundle and of others, and with modules that it imports later', () => {
    const folder = bundleOf({
      'main.cjs': `const { sep } = require('node:path');
const { half } = require('./half.cjs');
exports.later = 3;
importOther('node:os').then(async ({ EOL }) => {
  const { third } = await importOther('../third.mjs');
  console.log(half(4), sep, EOL === '\\n', third, module.exports.later, __filename);
});`,
      'half.cjs': twoFiles['half.cjs'],
    });
    writeFileSync(join(folder, '../third.mjs'), 'export const third = 9;');
    for (let time = 0; time < 2; time++)
      assert.equal(run(folder), `2 / true 9 3 ${join(folder, 'main.cjs')}`);
  });

  it('keeps what was compiled of it when the process ends, readable for other users', () => {
    const folder = bundleOf(twoFiles);
    assert.equal(run(folder), '21');
    const kept = readdirSync(cacheOf(folder));
    assert.deepEqual(kept.map((name) => name.replace(/-[0-9a-f]+$/, '')).sort(), ['half.cjs', 'main.cjs']);
    for (const name of kept) assert.equal(statSync(join(cacheOf(folder), name)).mode & 0o777, 0o644);
    const before = statSync(join(cacheOf(folder), kept[0]!)).mtimeMs;
    assert.equal(run(folder), '21');
    assert.equal(statSync(join(cacheOf(folder), kept[0]!)).mtimeMs, before);
  });

  it('is compiled again where it is another file by now, of the same length too', () => {
    const folder = bundleOf(twoFiles);
    assert.equal(run(folder), '21');
    writeFileSync(join(folder, 'half.cjs'), twoFiles['half.cjs'].replace('/ 2', '/ 3'));
    for (let time = 0; time < 2; time++) assert.equal(run(folder), '14');
  });

  it('is compiled again where what was kept is damaged, and kept anew', () => {
    const folder = bundleOf(twoFiles);
    assert.equal(run(folder), '21');
    for (const name of readdirSync(cacheOf(folder))) {
      const path = join(cacheOf(folder), name);
      const whole = readFileSync(path);
      const damages = [
        Buffer.alloc(0),
        whole.subarray(0, 10),
        whole.subarray(0, whole.length - 1),
        Buffer.concat([whole, Buffer.of(1)]),
        Buffer.alloc(whole.length, 0x5a),
        ...[0, 9, whole.length >> 1, whole.length - 1].map((at) => {
          const flipped = Buffer.from(whole);
          flipped[at]! ^= 4;
          return flipped;
        }),
      ];
      for (const damaged of damages) {
        writeFileSync(path, damaged);
        assert.equal(run(folder), '21');
        assert.notDeepEqual(readFileSync(path), damaged);
      }
    }
  });

  it('is kept apart for each set of flags of the engine', () => {
    const folder = bundleOf(twoFiles);
    assert.equal(run(folder), '21');
    assert.equal(run(folder, '--stack-size=900'), '21');
    assert.equal(readdirSync(cacheOf(folder)).length, 4);
  });

  it('runs where nothing can be kept', () => {
    const folder = bundleOf(twoFiles);
    writeFileSync(cacheOf(folder), 'a file');
    chmodSync(cacheOf(folder), 0o444);
    assert.equal(run(folder), '21');
  });
});
