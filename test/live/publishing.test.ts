import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../src/domain/parameter-data.ts';
import { noTags } from '../../src/domain/tags.ts';
import { maxTimestamp } from '../../src/domain/timestamp.ts';
import { calculatedFeed } from '../../src/live/calculated-feed.ts';
import type { LiveContent } from '../../src/live/live-package.ts';
import { createPublishing } from '../../src/live/publishing.ts';
import { publishingRoom } from '../../src/live/publishing-room.ts';
import { subscriptionTree } from '../../src/live/subscription-tree.ts';
import type { Slices } from '../../src/turns/slices.ts';
import { noHurry } from './no-hurry.ts';

/** About 16 bytes a row. */
function content(rows: number): LiveContent {
  const values = new Float64Array(rows);
  const columns = [{ kind: Kind.Numeric, name: 'Speed', values, present: undefined }] as const;
  const base = { count: rows, base: 0n, tagSets: [noTags], tagIndex: undefined };
  return { type: 'parameterData', rows: [{ ...base, offsets: new Float64Array(rows), columns }] };
}

/** Publishing of several workspaces whose slices end when the test says so. */
function setUp(maxBytes: number) {
  const later: (() => void)[] = [];
  let isOver = (): boolean => true;
  const slices: Pick<Slices, 'isOver' | 'later'> = {
    isOver: () => isOver(),
    later: (work) => void later.push(work),
  };
  const room = publishingRoom(maxBytes);
  const delivered: string[] = [];
  const missed: string[] = [];
  const workspace = (name: string, onDelivered: () => void = () => undefined) => {
    const tree = subscriptionTree(noHurry);
    const reader = {
      workspace: name,
      deliver() {
        delivered.push(name);
        onDelivered();
      },
    };
    tree.add(reader, { kind: 'packages', topic: '*' });
    const publishing = createPublishing(slices, () => missed.push(name), room);
    return {
      ...publishing,
      publish: (rows: number) =>
        publishing.add({
          tree,
          place: { topic: 't', streamId: 's' },
          content: content(rows),
          time: 0,
          calculated: calculatedFeed(
            tree,
            () => [],
            { left: 0 },
            { last: () => maxTimestamp, onAhead: undefined },
          ),
        }),
    };
  };
  const during = (ends: () => boolean, act: () => void): void => {
    isOver = ends;
    act();
    isOver = () => true;
  };
  return {
    room,
    delivered,
    missed,
    workspace,
    during,
    goOn() {
      during(
        () => false,
        () => {
          while (later.length > 0) later.shift()!();
        },
      );
    },
  };
}

describe('packages that wait to be published', () => {
  it('are bounded over all workspaces, and the one with the most loses its newest', () => {
    const { room, delivered, missed, workspace, goOn } = setUp(100_000);
    const [large, small, other] = ['large', 'small', 'other'].map((name) => workspace(name));
    for (let i = 0; i < 10; i++) large!.publish(1000);
    assert.ok(room.bytes <= 100_000);
    assert.deepEqual(missed, Array(4).fill('large'));
    small!.publish(300);
    other!.publish(300);
    assert.ok(room.bytes <= 100_000);
    assert.deepEqual(missed, Array(5).fill('large'));
    goOn();
    assert.equal(room.bytes, 0);
    assert.deepEqual(delivered.sort(), [...Array(5).fill('large'), 'other', 'small']);
  });

  it('may be one that is larger than the room, and nothing else', () => {
    const { room, delivered, missed, workspace, goOn } = setUp(100_000);
    const [one, two] = ['one', 'two'].map((name) => workspace(name));
    one!.publish(10_000);
    assert.deepEqual(missed, []);
    two!.publish(10);
    assert.deepEqual(missed, ['one']);
    goOn();
    assert.deepEqual(delivered, ['two']);
    assert.equal(room.bytes, 0);
  });

  it('end where the last reader leaves while it gets one of them', () => {
    const { room, delivered, workspace, goOn } = setUp(100_000);
    const one = workspace('one', () => one.close());
    one.publish(100);
    one.publish(100);
    goOn();
    assert.deepEqual(delivered, ['one']);
    assert.equal(room.bytes, 0);
  });

  it('do not wait where the last reader leaves before all of one is delivered', () => {
    const { room, delivered, workspace, during } = setUp(100_000);
    const one = workspace('one', () => one.close());
    // Slices end as soon as something is delivered.
    during(
      () => delivered.length > 0,
      () => one.publish(100),
    );
    assert.deepEqual(delivered, ['one']);
    assert.equal(room.bytes, 0);
  });

  it('leave their room when their workspace has no readers any more', () => {
    const { room, workspace, goOn } = setUp(100_000);
    const one = workspace('one');
    one.publish(1000);
    assert.ok(room.bytes > 0);
    one.close();
    assert.equal(room.bytes, 0);
    goOn();
    assert.equal(room.bytes, 0);
  });
});
