import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { compilePattern, programBound } from '../../../src/query/plan/tag-pattern.ts';

describe('the bound of a pattern', () => {
  it('is not far below the program that it becomes', () => {
    const atom = fc.constantFrom('a', '.', '[a-z]', '\\d', '[]x]', '[^\\]{9}]', 'é');
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { depthSize: 'small' },
        atom,
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('{3}', '{2,7}', '{5,}', '*', '+', '?'))
          .map(([a, b]) => `(${a})${b}`),
      ),
    }));
    fc.assert(
      fc.property(pattern, (text) => {
        if (programBound(text) > 2000) return;
        assert.ok(RE2JS.compile(text).programSize() <= 2 * programBound(text) + 8, text);
      }),
    );
  });

  it('lets through what people write', () => {
    for (const text of ['^[24]$', '^(lap|car)-[0-9]{1,3}$', '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}']) {
      assert.equal(typeof compilePattern(text), 'function', text);
    }
  });

  it('sees through quotations and escapes with braces', () => {
    const hidden = `\\Q[\\E${'x{1000}'.repeat(100)}`;
    assert.ok(programBound(hidden) > 100_000);
    assert.ok('position' in compilePattern(hidden));
    for (const [pattern, text] of [
      ['^\\x{3042}$', '\u3042'],
      ['^\\p{Greek}{2}$', '\u03b1\u03b2'],
      ['^\\Qa[b{9999}\\E$', 'a[b{9999}'],
    ] as const) {
      const compiled = compilePattern(pattern);
      assert.ok(typeof compiled === 'function', pattern);
      assert.ok(compiled(text), pattern);
    }
  });
});
