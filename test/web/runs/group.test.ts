import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StreamInfo } from '../../../src/client/client.ts';
import { grouped, inPlaces, type RunLine } from '../../../web/src/runs/group.ts';

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

describe('lines that keep their places', () => {
  const line = (streamId: string, status = 'Open'): RunLine => ({
    stream: { ...stream(streamId, {}), status } as StreamInfo,
  });
  const namesOf = (lines: readonly RunLine[]) =>
    lines.map((own) => (own.group === undefined ? `${own.stream.streamId} ${own.stream.status}` : own.group));

  it('are as new as the others, in the order of before; what was scrolled to follows', () => {
    const before = [line('a'), line('b'), line('c')];
    const now = [line('new'), line('c'), line('a', 'Closed'), line('b'), line('d'), line('e')];
    const kept = inPlaces(before, now);
    assert.deepEqual(namesOf(kept), ['a Closed', 'b Open', 'c Open', 'd Open', 'e Open']);
  });

  it('stay although they are gone', () => {
    const kept = inPlaces([line('a'), line('b')], [line('b'), line('c')]);
    assert.deepEqual(namesOf(kept), ['a Open', 'b Open', 'c Open']);
    assert.deepEqual(namesOf(inPlaces([line('a')], [])), ['a Open']);
  });
});
