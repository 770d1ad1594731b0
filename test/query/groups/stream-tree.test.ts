import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { buildTree } from '../../../src/query/groups/stream-tree.ts';

/** The whole tree, indented by depth. */
function drawn(parents: readonly (readonly number[])[]): string[] {
  const { roots, below } = buildTree(parents.length, (index) => parents[index]!);
  return roots.flatMap((root) => [...below(root)].map(({ index, depth }) => '-'.repeat(depth) + index));
}

describe('a tree', () => {
  it('has each below its first parent, brothers in their order', () => {
    assert.deepEqual(drawn([[], [0], [0], [1], [], [1]]), ['0', '-1', '--3', '--5', '-2', '4']);
    assert.deepEqual(drawn([[2, 1], [], []]), ['1', '2', '-0']);
    assert.deepEqual(drawn([]), []);
  });

  it('opens a circle, so that each stands in it once', () => {
    assert.deepEqual(drawn([[0]]), ['0']);
    assert.deepEqual(drawn([[1], [2], [0]]), ['2', '-1', '--0']);
    // Another parent is better than none.
    assert.deepEqual(drawn([[1], [0, 2], []]), ['2', '-1', '--0']);
  });

  it('has each once, below one of its parents or at the top, whatever the parents are', () => {
    const graph = fc
      .integer({ min: 1, max: 12 })
      .chain((count) =>
        fc.array(fc.array(fc.nat(count - 1), { maxLength: 3 }), { minLength: count, maxLength: count }),
      );
    fc.assert(
      fc.property(graph, (parents) => {
        const { roots, below } = buildTree(parents.length, (index) => parents[index]!);
        const seen: number[] = [];
        for (const root of roots) {
          const path: number[] = [];
          for (const { index, depth } of below(root)) {
            assert.ok(depth <= path.length, 'one step down at most');
            path.length = depth;
            if (depth > 0) assert.ok(parents[index]!.includes(path[depth - 1]!));
            path.push(index);
            seen.push(index);
          }
        }
        assert.deepEqual(
          seen.sort((a, b) => a - b),
          parents.map((_, index) => index),
        );
        assert.deepEqual(
          roots,
          [...roots].sort((a, b) => a - b),
        );
        // Only a circle keeps what has parents at the top: from such a root its parents lead back to it.
        for (const root of roots) {
          const under = new Set([...below(root)].map(({ index }) => index));
          for (const parent of parents[root]!) assert.ok(under.has(parent));
        }
      }),
    );
  });

  it('is quick with a long chain in the worst order', () => {
    const count = 200_000;
    const { roots, below } = buildTree(count, (index) => (index + 1 < count ? [index + 1] : []));
    assert.deepEqual(roots, [count - 1]);
    let deepest = 0;
    for (const { depth } of below(count - 1)) deepest = Math.max(deepest, depth);
    assert.equal(deepest, count - 1);
  });
});
