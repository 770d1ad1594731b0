import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../root.ts';

/** The rooms of the explorer in their order (ARCHITECTURE.md): a file imports from its own room and from those before it. */
const rooms = [
  'state',
  'session.ts',
  'ui',
  'lines',
  'runs',
  'channels',
  'math',
  'plots',
  'notes',
  'live',
  'measure',
  'laps',
  'map',
  'beside',
  'share',
  'import',
  'panels.ts',
  'late.ts',
  'parts.tsx',
  'modes.tsx',
  'sides.tsx',
  'app.tsx',
  'page.tsx',
  'main.ts',
  'early.ts',
];
/** Lines that a file has at most. */
const mostLines = 200;

const src = join(root, 'web/src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe("the explorer's architecture", () => {
  it('lets no room import a later one, types included', () => {
    assert.ok(files.length > 80);
    const place = (file: string): number => {
      const found = rooms.indexOf(file.split('/')[0]!);
      assert.ok(found >= 0, `${file} is in no known room`);
      return found;
    };
    for (const [file, targets] of imports) {
      for (const target of targets.filter((other) => !other.startsWith('..') && !other.startsWith('style/')))
        assert.ok(place(target) <= place(file), `${file} imports ${target}`);
    }
  });

  it('imports the client library, readers of files and how they pause, and nothing else of the service', () => {
    for (const [file, targets] of imports) {
      for (const target of targets.filter((other) => other.startsWith('..')))
        assert.match(target, /^\.\.\/\.\.\/src\/(client|import|turns)\//, `${file} imports ${target}`);
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

  it('has small files', () => {
    const styles = readdirSync(join(src, 'style')).map((file) => `style/${file}`);
    for (const file of [...files, ...styles]) {
      const lines = textOf(file).split('\n').length - 1;
      assert.ok(lines <= mostLines, `${file} has ${lines} lines`);
    }
  });
});

function textOf(file: string): string {
  return readFileSync(join(src, file), 'utf8');
}

/** Relative imports of any form, as paths below web/src. */
function importsOf(file: string): string[] {
  const found = [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)];
  return found.map((match) => normalize(join(dirname(file), match[1]!)));
}
