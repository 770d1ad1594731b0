import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SparkplugNodes } from '../../../src/wire/mqtt/sparkplug-nodes.ts';

/** Has a node introduce itself with as many metrics; gives how many of them were learned. */
function birth(nodes: SparkplugNodes, [workspace, node]: readonly [string, string], metrics: number): number {
  nodes.born(workspace, 'g', node);
  const known = nodes.find(workspace, 'g', node)!;
  let learned = 0;
  for (let i = 0; i < metrics; i++)
    if (nodes.learn(known, node, i, { name: `${'m'.repeat(500)}${i}`, type: 1 })) learned++;
  return learned;
}

describe('what nodes of Sparkplug said of themselves', () => {
  it('is bounded for a node, a workspace, and all', () => {
    const nodes = new SparkplugNodes();
    const most = birth(nodes, ['a', 'large'], 100_000);
    assert.ok(most > 3000 && most < 4000, String(most));
    birth(nodes, ['other', 'first'], 10);
    for (let i = 0; i < 6; i++) birth(nodes, ['a', `n${i}`], most);
    const known = (workspace: string, names: readonly string[]) =>
      names.filter((name) => nodes.find(workspace, 'g', name) !== undefined);
    assert.deepEqual(known('a', ['large', 'n0', 'n1', 'n2', 'n3', 'n4', 'n5']), ['n2', 'n3', 'n4', 'n5']);
    for (let i = 0; i < 6; i++) birth(nodes, ['b', `n${i}`], most);
    assert.deepEqual(known('other', ['first']), ['first']);
    assert.equal(nodes.find('b', 'g', 'n5')!.aliases.size, most);
  });

  it('takes no more room when it is said again', () => {
    const nodes = new SparkplugNodes();
    nodes.born('w', 'g', 'n');
    const node = nodes.find('w', 'g', 'n')!;
    for (let i = 0; i < 100_000; i++) assert.ok(nodes.learn(node, 'n', 1, { name: 'm', type: 1 }));
    for (let i = 0; i < 20; i++) assert.ok(birth(nodes, ['w', 'same'], 2000) === 2000);
    assert.ok(nodes.find('w', 'g', 'n'));
  });
});
