import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { liveTopic, namesInTopic, subscriptionsOf } from '../../src/mqtt/live-topics.ts';
import { FilterTree, filterFlaw, topicFlaw } from '../../src/mqtt/topic-filter.ts';

describe('filters of MQTT', () => {
  it('match as the specification shows (MQTT 5.0, section 4.7)', () => {
    for (const [filter, topic, doesMatch] of [
      ['sport/tennis/player1/#', 'sport/tennis/player1', true],
      ['sport/tennis/player1/#', 'sport/tennis/player1/score/wimbledon', true],
      ['sport/#', 'sport', true],
      ['#', 'a/b', true],
      ['sport/tennis/+', 'sport/tennis/player1', true],
      ['sport/tennis/+', 'sport/tennis/player1/ranking', false],
      ['sport/+', 'sport', false],
      ['sport/+', 'sport/', true],
      ['+/+', '/finance', true],
      ['/+', '/finance', true],
      ['+', '/finance', false],
      ['#', '$SYS/broker', false],
      ['+/monitor/Clients', '$SYS/monitor/Clients', false],
      ['$SYS/#', '$SYS/broker', true],
      ['ACCOUNTS', 'Accounts', false],
    ] as const) {
      const tree = new FilterTree<string>();
      tree.set(filter, filter);
      assert.deepEqual(tree.matches(topic), doesMatch ? [filter] : [], `${filter} ${topic}`);
    }
  });

  it('are told what is wrong with them', () => {
    for (const filter of ['', 'a#', 'a/#/b', 'a/+b', 'a\0', 'a/'.repeat(200)])
      assert.notEqual(filterFlaw(filter), undefined, filter);
    for (const topic of ['', 'a/+', '#', 'a\0']) assert.notEqual(topicFlaw(topic), undefined, topic);
    assert.deepEqual([filterFlaw('a/+/#'), topicFlaw('a//b')], [undefined, undefined]);
  });

  it('become subscriptions of the hub', () => {
    for (const [filter, wanted] of [
      ['a/s/p', 'a s p'],
      ['a/b/+/p', 'a/b * p'],
      ['a/+/s/p', '* s p'],
      ['a/s%2Fx/p%23', 'a s/x p#'],
      ['a/#', '* * *'],
    ] as const) {
      const [one] = subscriptionsOf(filter);
      assert.ok(one?.kind === 'parameter');
      assert.equal(`${one.topic} ${one.streamId} ${one.id}`, wanted, filter);
    }
    assert.deepEqual(subscriptionsOf('a/s'), []);
    assert.equal(liveTopic('a/b+', 's/x', 'p#'), 'a/b%2B/s%2Fx/p%23');
    for (const [topic, stream, parameter] of [
      ['a', 's/x', 'p'],
      ['a', 's%2Fx', 'p'],
      ['a', 's%2fx', '100%'],
      ['a%2Fb', 's%252Fx', '%25'],
    ] as const) {
      const filter = liveTopic(topic, stream, parameter);
      assert.deepEqual(subscriptionsOf(filter), [
        { kind: 'parameter', topic, streamId: stream, id: parameter },
      ]);
      assert.deepEqual(namesInTopic(filter, topic), { streamId: stream, parameter });
    }
  });

  it('ask for parameters of a topic', () => {
    for (const [filter, wanted] of [
      ['a/b/s/p', { streamId: 's', parameter: 'p' }],
      ['a/#', { streamId: undefined, parameter: undefined }],
      ['a/b/s/#', { streamId: 's', parameter: undefined }],
      ['+/+/+/p', { streamId: undefined, parameter: 'p' }],
      ['a/b/s/p/#', { streamId: 's', parameter: 'p' }],
      ['a/c/#', undefined],
      ['a/b', undefined],
      ['a/b/s', undefined],
      ['a/b/s/p/x', undefined],
    ] as const)
      assert.deepEqual(namesInTopic(filter, 'a/b'), wanted, filter);
  });
});
