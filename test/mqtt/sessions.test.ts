import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Principal } from '../../src/domain/principal.ts';
import { PitwallError } from '../../src/errors.ts';
import { isOfCommands } from '../../src/mqtt/commands.ts';
import type { Outgoing } from '../../src/mqtt/outgoing-queue.ts';
import { ReaderMemory } from '../../src/mqtt/reader-memory.ts';
import type { Session } from '../../src/mqtt/session.ts';
import { type Held, Sessions } from '../../src/mqtt/sessions.ts';

const principalOf = (workspace: string): Principal => ({ tokenId: 't', workspace, scopes: ['write'] });

function open() {
  const clock = { now: 0 };
  const ended: string[] = [];
  const fed: string[] = [];
  const sessions = new Sessions({
    subscriptions: {
      add: (_caller, { topic }) => fed.push(topic),
      remove: () => undefined,
      drop: () => undefined,
    },
    memory: new ReaderMemory(1 << 20),
    onLeftOut: () => undefined,
    onEnded: ({ clientId }) => ended.push(clientId),
    now: () => clock.now,
  });
  /** A connection that comes in, and those that it ended. */
  const enter = (clientId: string, { workspace = 'w', isClean = false, expiryMs = 1000 } = {}) => {
    const one = { session: undefined as unknown as Session, isPresent: false, isOver: false, leave() {} };
    const held: Held = {
      takenOver() {
        one.isOver = true;
        one.leave();
      },
    };
    one.leave = () => sessions.release(one.session, held);
    Object.assign(one, sessions.open(principalOf(workspace), clientId, isClean, held));
    one.session.expiryMs = expiryMs;
    return one;
  };
  return { sessions, clock, ended, fed, enter };
}

describe('sessions of MQTT', () => {
  it('belong to the connection that came last, also while those before it are still coming in', () => {
    const { enter } = open();
    const all = [1, 2, 3].map(() => enter('c'));
    assert.deepEqual(
      all.map(({ isOver }) => isOver),
      [true, true, false],
    );
    assert.ok(all.every(({ session }) => session === all[0]!.session));
    assert.equal(all[2]!.session.endsAt, undefined);
    all[0]!.leave();
    assert.equal(all[2]!.session.endsAt, undefined, 'one that was ended ends nothing');
  });

  it('are told of when they end: by a clean start, when their time is over, for others', () => {
    const { sessions, clock, ended, enter } = open();
    enter('c');
    assert.equal(enter('c', { isClean: true }).isPresent, false);
    assert.deepEqual(ended, ['c']);
    enter('d', { expiryMs: 0 }).leave();
    enter('e', { expiryMs: 5000 }).leave();
    enter('f', { expiryMs: 7_200_000 }).leave();
    assert.deepEqual(ended, ['c', 'd']);
    clock.now = 5000;
    sessions.tick();
    sessions.tick();
    assert.deepEqual(ended, ['c', 'd', 'e']);
    clock.now = 7_200_000;
    sessions.tick();
    assert.deepEqual(ended, ['c', 'd', 'e', 'f']);
  });

  it('are new for a client that is back when its time is over, which is known by its goodbye all the same', () => {
    const { sessions, clock, enter } = open();
    const one = enter('c', { expiryMs: 5000 });
    one.session.subscribe('a/b/c', 1);
    one.session.leftAt = 7n;
    one.leave();
    clock.now = 4999;
    sessions.tick();
    const again = enter('c', { expiryMs: 5000 });
    assert.deepEqual([again.isPresent, again.session.qosOf('a/b/c')], [true, 1]);
    again.leave();
    clock.now += 5000;
    const late = enter('c', { expiryMs: 5000 });
    assert.deepEqual(
      [late.isPresent, late.session.qosOf('a/b/c'), late.session.leftAt],
      [false, undefined, 7n],
    );
    late.leave();
    clock.now += 60_000;
    sessions.tick();
    const last = enter('c');
    assert.deepEqual([last.isPresent, last.session.leftAt], [false, 7n]);
  });

  it('leave room for other workspaces', () => {
    const { ended, enter } = open();
    enter('away').leave();
    for (let i = 0; i < 19_999; i++) enter(`c${i}`);
    enter('more');
    assert.deepEqual(ended, ['away']);
    assert.throws(
      () => enter('one more'),
      (error) => error instanceof PitwallError && error.code === 'overloaded',
    );
    enter('c', { workspace: 'other' });
  });

  it('give back what their filters took, and refuse more than there is memory for', () => {
    const { enter } = open();
    const { session } = enter('c');
    const deep = (i: number) => `${'+/'.repeat(100)}${i}`;
    let count = 0;
    const isFull = (error: unknown) => error instanceof PitwallError && error.code === 'overloaded';
    assert.throws(() => {
      for (;;) session.subscribe(deep(count++), 0);
    }, isFull);
    assert.ok(count > 30 && count < 60, String(count));
    assert.ok(session.unsubscribe(deep(0)));
    session.subscribe(deep(0), 1);
    assert.throws(() => session.subscribe(deep(count), 0), isFull);
    enter('c', { isClean: true });
    for (let i = 0; i < count - 1; i++) session.subscribe(deep(i), 0);
  });

  it('hear commands by filters for these, and no values', () => {
    const { sessions, fed, enter } = open();
    const { session } = enter('edge');
    const got: string[] = [];
    const publish = ({ topic, qos }: Outgoing) => {
      got.push(`${topic} ${qos}`);
      return 'sent' as const;
    };
    session.queue.attach({ receiveMaximum: 10, publish });
    const { commands } = sessions;
    for (const filter of ['spBv1.0/plant/NCMD/edge/#', 'spBv1.0/plant/NCMD/edge'])
      assert.ok(isOfCommands(filter), filter);
    for (const filter of ['spBv1.0/#', 'spBv1.0/plant/NDATA/edge', '#']) assert.ok(!isOfCommands(filter));
    commands.subscribe(session, 'spBv1.0/plant/NCMD/edge/#', 1);
    const command = { payload: Buffer.from('x'), retain: false, time: undefined };
    for (const [workspace, node] of [
      ['w', 'edge'],
      ['w', 'other'],
      ['v', 'edge'],
    ] as const)
      commands.route(workspace, { topic: `spBv1.0/plant/NCMD/${node}`, ...command });
    assert.deepEqual([got, fed], [['spBv1.0/plant/NCMD/edge 1'], []]);
    assert.equal(session.qosOf('spBv1.0/plant/NCMD/edge'), undefined);
    assert.equal(commands.countOf(session), 1);
    assert.ok(commands.unsubscribe(session, 'spBv1.0/plant/NCMD/edge/#'));
    commands.route('w', { topic: 'spBv1.0/plant/NCMD/edge', ...command });
    assert.equal(got.length, 1);
  });
});
