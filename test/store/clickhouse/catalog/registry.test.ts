import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TokenRecord } from '../../../../src/domain/principal.ts';
import type { TopicChange } from '../../../../src/store/clickhouse/catalog/registered-topics.ts';
import { createRegistry } from '../../../../src/store/clickhouse/catalog/registry.ts';

const token: TokenRecord = { id: 't', hash: 'h', workspace: 'w', scopes: ['read'], createdAt: 1 };
const workspace = { name: 'w', createdAt: 1 };

function topic(
  name: string,
  version: bigint,
  age?: { version: bigint; age: bigint | undefined },
): TopicChange {
  return {
    workspace: 'w',
    topic: name.toLowerCase(),
    name: { version, text: name },
    retention: age ?? { version: 0n, age: undefined },
  };
}

describe('the registry', () => {
  it('keeps the newest of what comes in any order', () => {
    const registry = createRegistry();
    registry.putToken({ id: 't', version: 2n, token: undefined });
    registry.putToken({ id: 't', version: 1n, token });
    assert.deepEqual([registry.tokens(), registry.tokenByHash('h')], [[], undefined]);
    registry.putToken({ id: 't', version: 3n, token: { ...token, hash: 'other' } });
    assert.equal(registry.tokenByHash('h'), undefined);
    assert.equal(registry.tokenByHash('other')?.id, 't');
    assert.equal(registry.newest, 3n);
  });

  it('keeps the first spelling of a topic and its last retention', () => {
    const registry = createRegistry();
    registry.putTopic(topic('CARS', 5n, { version: 5n, age: 7n }));
    registry.putTopic(topic('Cars', 3n));
    registry.putTopic(topic('cars', 4n, { version: 4n, age: 9n }));
    assert.equal(registry.topicName('w', 'cArS'), 'Cars');
    assert.equal(registry.retention('w', 'CARS'), 7n);
    registry.putTopic(topic('cars', 6n, { version: 6n, age: undefined }));
    assert.equal(registry.retention('w', 'Cars'), undefined);
  });

  it('takes the shorter retention of topic and workspace', () => {
    const registry = createRegistry();
    registry.putTopic(topic('long', 1n, { version: 1n, age: 10_000_000_000n }));
    registry.putTopic(topic('none', 1n));
    assert.equal(registry.retainedFrom('w', 'none', 1000), undefined);
    assert.deepEqual(registry.retainedTimes('w', 1000), {
      topics: new Map([['long', -9_000_000_000n]]),
      others: -(2n ** 63n),
    });
    registry.putWorkspace({ name: 'w', version: 2n, workspace: { ...workspace, retention: 1_000_000_000n } });
    assert.equal(registry.retainedFrom('w', 'Long', 1000), 0n);
    assert.equal(registry.retainedFrom('w', 'not there yet', 1000), 0n);
    assert.deepEqual(registry.retainedTimes('w', 1000), { topics: new Map(), others: 0n });
  });

  it('forgets what a removed workspace had, and what comes late of it', () => {
    const registry = createRegistry();
    registry.putWorkspace({ name: 'w', version: 1n, workspace });
    registry.putToken({ id: 't', version: 2n, token });
    registry.putTopic(topic('Cars', 3n));
    registry.putWorkspace({ name: 'w', version: 4n, workspace: undefined });
    registry.putTopic(topic('Late', 4n));
    registry.putToken({ id: 'late', version: 3n, token: { ...token, id: 'late', hash: 'late' } });
    assert.deepEqual(registry.workspaces(), []);
    assert.deepEqual(registry.tokens(), []);
    assert.equal(registry.topicName('w', 'cars'), undefined);
    assert.equal(registry.topicName('w', 'late'), undefined);
    registry.putTopic(topic('CARS', 5n));
    assert.equal(registry.topicName('w', 'cars'), 'CARS');
  });

  it('forgets it also where the workspace is there again', () => {
    const registry = createRegistry();
    registry.putWorkspace({ name: 'w', version: 1n, workspace });
    registry.putTopic(topic('Cars', 2n));
    registry.putWorkspace({ name: 'w', version: 3n, workspace: { ...workspace, maxStreams: 5 } });
    assert.equal(registry.topicName('w', 'cars'), 'Cars', 'its settings alone changed');
    registry.putWorkspace({ name: 'w', version: 9n, workspace: { ...workspace, createdAt: 8 } });
    assert.equal(registry.topicName('w', 'cars'), undefined);
  });
});
