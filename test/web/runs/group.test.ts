import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StreamInfo } from '../../../src/client/client.ts';
import { grouped } from '../../../web/src/runs/group.ts';

function stream(streamId: string, metadata: Readonly<Record<string, string>>): StreamInfo {
  return { streamId, topic: 'cars', metadata } as unknown as StreamInfo;
}

describe('runs in groups', () => {
  it('are apart by a key of the metadata, be it constructor, and those without it are together', () => {
    const runs = [
      stream('a', { constructor: 'Lotus' }),
      stream('b', {}),
      stream('c', { constructor: 'Lotus' }),
    ];
    const groups = grouped(runs, '=constructor').flatMap((line) =>
      line.group === undefined ? [] : [[line.group, line.count]],
    );
    assert.deepEqual(groups, [
      ['Lotus', 2],
      ['no constructor', 1],
    ]);
  });
});
