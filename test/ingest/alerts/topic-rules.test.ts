import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Document } from '../../../src/domain/document.ts';
import { isWatched } from '../../../src/ingest/alerts/judge.ts';
import { alertRules } from '../../../src/ingest/alerts/topic-rules.ts';
import { storedRuleBody } from '../../../src/wire/requests/alert-rule.ts';

function item(id: string, expression: string, streamIds?: readonly string[]): Document {
  const rule = { name: id, expression, forNs: 0n, ...(streamIds && { streams: { streamIds } }) };
  const body = storedRuleBody({ rule, made: 1, revision: 1 });
  return { kind: 'alert', topic: 'T', id, body, updatedAt: 1 };
}

/** The same array as long as nothing changes, as of a catalogue. */
const none: readonly Document[] = [];

function keeping(rules: readonly Document[]) {
  return { documents: (_workspace: string, kind: string) => (kind === 'alert' ? rules : none) };
}

const never = () => assert.fail('nobody asks for properties');

describe('the rules of a topic', () => {
  it('are those that name a stream, and those that name none, whatever the case of the topic', () => {
    const kept = [item('all', 'a > 1'), item('one', 'b > 1', ['s1']), item('two', 'c > 1', ['s1', 's2'])];
    const rules = alertRules(keeping(kept)).ofTopic('w', 't')!;
    const watching = (streamId: string) => rules.of(streamId, never).rules.map(({ rule }) => rule.name);
    assert.deepEqual(watching('s1'), ['one', 'two', 'all']);
    assert.deepEqual(watching('s2'), ['two', 'all']);
    assert.deepEqual(watching('s3'), ['all']);
    assert.deepEqual([...rules.of('s1', never).operands], ['b', 'c', 'a']);
  });

  it('concern only writes to streams that they may watch', () => {
    const knowing = (kept: readonly Document[]) => ({
      rules: alertRules(keeping(kept)),
      states: { get: () => undefined },
      isNew: () => true,
    });
    const known = knowing([item('one', 'a > 1', ['s1'])]);
    const writes = (topic: string, streamId: string) => [
      { type: 'rows' as const, topic, streamId, rows: [] },
    ];
    assert.equal(isWatched(known, 'w', writes('t', 's1')), true);
    assert.equal(isWatched(known, 'w', writes('t', 's2')), false);
    assert.equal(isWatched(known, 'w', writes('u', 's1')), false);
    const more = knowing([item('one', 'a > 1', ['s1']), item('all', 'a > 1')]);
    assert.equal(isWatched(more, 'w', writes('t', 's2')), true);
  });

  it('leave out what another version has kept, and tell of it', () => {
    const broken = { ...item('broken', 'a > 1'), body: '{"rule":7}' };
    const kept = [item('ok', 'a > 1'), item('newer', 'someday(a) > 1'), broken];
    const rules = alertRules(keeping(kept));
    const found = rules.ofTopic('w', 'T')!.of('s', never);
    assert.deepEqual(
      found.rules.map(({ rule }) => rule.name),
      ['ok'],
    );
    assert.deepEqual(
      rules
        .ofWorkspace('w')
        .unusable.map(({ name }) => name)
        .sort(),
      ['broken', 'newer'],
    );
  });
});
