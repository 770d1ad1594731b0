import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from './root.ts';

interface Override {
  readonly includes: readonly string[];
  readonly linter: { readonly rules: Readonly<Record<string, Readonly<Record<string, 'off'>>>> };
}

/** How many files need not keep a rule, because they are older than it. These numbers may only fall. */
const most: Readonly<Record<string, number>> = {
  noExcessiveLinesPerFile: 53,
  useMaxParams: 51,
  noExcessiveCognitiveComplexity: 42,
};

const { overrides } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as {
  overrides: readonly Override[];
};

describe('the exceptions of the lint rules', () => {
  it('are files by name, for one rule each, and become fewer', () => {
    const counts: Record<string, number> = {};
    for (const { includes, linter } of overrides) {
      const rules = Object.values(linter.rules).flatMap(Object.keys);
      assert.equal(rules.length, 1);
      counts[rules[0]!] = includes.length;
      assert.deepEqual(includes, [...new Set(includes)].sort(), 'in order, each once');
      for (const file of includes) assert.ok(!/[*!]/.test(file), `${file} is no file`);
    }
    assert.deepEqual(Object.keys(counts).sort(), Object.keys(most).sort());
    for (const [rule, count] of Object.entries(counts))
      assert.ok(count <= most[rule]!, `${count} files need not keep ${rule}: ${most[rule]} are allowed`);
  });

  it('are no more than there are files, and name none that is short again', () => {
    const lines = overrides.find(({ linter }) => 'style' in linter.rules)!;
    for (const { includes } of overrides)
      for (const file of includes) assert.ok(existsSync(join(root, file)), `there is no ${file}`);
    for (const file of lines.includes) {
      const count = readFileSync(join(root, file), 'utf8').split('\n').length - 1;
      assert.ok(count > 300, `${file} has ${count} lines, and needs no exception`);
    }
  });
});
