import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { viewRows } from '../../../../src/store/embedded/log/rows-section.ts';
import {
  jsonSection,
  parameterSection,
  readSections,
  type SectionDraft,
  SectionType,
  sectionsBytes,
  streamSection,
  streamsSection,
  topicSection,
  writeSections,
} from '../../../../src/store/embedded/log/sections.ts';
import { makeSlab } from '../../../../src/store/embedded/log/slab.ts';
import { RowsDraft } from '../../../../src/store/embedded/log/write-rows.ts';
import { rowsOf } from '../rows.ts';

const start = 48;

/** A slab with the sections at `start`, in memory that held something else before. */
function written(drafts: readonly SectionDraft[]) {
  const bytes = sectionsBytes(drafts);
  const slab = makeSlab(1, new SharedArrayBuffer(start + bytes + 64));
  slab.bytes.fill(0xff);
  writeSections(slab, start, drafts);
  assert.ok(
    slab.bytes.subarray(start + bytes).every((byte) => byte === 0xff),
    'nothing after the sections',
  );
  return { slab, bytes, read: () => [...readSections(slab, start, bytes)] };
}

describe('the sections of a record', () => {
  it('come back as they were, of any length', () => {
    for (const name of ['', 'a', 'sieben7', 'achtacht', 'ü\u0000"\\', '🏎'.repeat(40)]) {
      const { bytes, read } = written([
        topicSection(7, `w${name}`, name),
        parameterSection(4_000_000_000, Kind.Event, name),
        streamSection(9, 7, 1_700_000_000_000.5, name),
        jsonSection(SectionType.RevokeToken, { id: name }),
      ]);
      assert.equal(bytes % 8, 0);
      assert.deepEqual(read(), [
        { type: SectionType.Topic, number: 7, workspace: `w${name}`, name },
        { type: SectionType.Parameter, number: 4_000_000_000, kind: Kind.Event, name },
        { type: SectionType.Stream, number: 9, topic: 7, createdAt: 1_700_000_000_000.5, id: name },
        { type: SectionType.RevokeToken, value: { id: name } },
      ]);
    }
  });

  it('hold the numbers of many streams, whatever stands before and after', () => {
    const few = Uint32Array.of(7, 4_000_000_000);
    const many = Uint32Array.from({ length: 1001 }, (_, i) => 13 + 2 * i);
    const { bytes, read } = written([
      streamsSection(SectionType.DeleteStreams, few, true),
      streamsSection(SectionType.DeleteStreams, many, false),
      streamsSection(SectionType.RestoreStreams, Uint32Array.of(3), false),
      jsonSection(SectionType.RevokeToken, { id: 'x' }),
    ]);
    assert.deepEqual(read(), [
      { type: SectionType.DeleteStreams, numbers: few, forGood: true },
      { type: SectionType.DeleteStreams, numbers: many, forGood: false },
      { type: SectionType.RestoreStreams, numbers: Uint32Array.of(3), forGood: false },
      { type: SectionType.RevokeToken, value: { id: 'x' } },
    ]);
    assert.ok(bytes < 400, 'many numbers close together are a bitmap');
  });

  it('say where rows stand', () => {
    const rows = rowsOf([{ time: 5n, cells: { speed: 1, gear: 'N' } }]);
    const { slab, read } = written([
      jsonSection(SectionType.Close, { stream: 1, endType: 'Closed' }),
      new RowsDraft(rows, 3, [1, 2]),
      jsonSection(SectionType.Close, { stream: 2, endType: 'Closed' }),
    ]);
    const [before, section, after] = read();
    assert.ok(section?.type === SectionType.Rows);
    assert.equal(viewRows(slab, section.at).stream, 3);
    assert.deepEqual([before?.type, after?.type], [SectionType.Close, SectionType.Close]);
  });

  it('of a type that is not known refuse the log', () => {
    const unknown = 1 + Math.max(...Object.values(SectionType));
    for (const type of [0, unknown, 1000]) {
      const { read } = written([jsonSection(type as SectionType, {})]);
      assert.throws(read, /which this version of Pitwall does not know/);
    }
  });
});
