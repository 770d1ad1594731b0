import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type HeadView,
  headSlab,
  headView,
  placeSection,
  showSections,
} from '../../../../src/store/embedded/log/head.ts';
import { makeSlab } from '../../../../src/store/embedded/log/slab.ts';
import { sectionsWanted } from '../../../../src/store/embedded/log/stream-sections.ts';
import { RowsDraft } from '../../../../src/store/embedded/log/write-rows.ts';
import { rowsOf } from '../rows.ts';

/** A section of a stream: its time, and the first of its columns and how many there are. */
interface Written {
  readonly stream: number;
  readonly time: number;
  readonly parameter: number;
  readonly columns: number;
}

const written = fc.record({
  stream: fc.integer({ min: 1, max: 2 }),
  time: fc.integer({ min: -500, max: 500 }),
  parameter: fc.integer({ min: 1, max: 12 }),
  columns: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.constant(6)),
});

const parametersOf = ({ parameter, columns }: Written) =>
  Array.from({ length: columns }, (_, i) => parameter + i);

function add(head: ReturnType<typeof headSlab>, at: number, section: Written, lsn: number): number {
  const parameters = parametersOf(section);
  const cells = Object.fromEntries(parameters.map((number) => [`p${number}`, number]));
  const draft = new RowsDraft(rowsOf([{ time: BigInt(section.time), cells }]), section.stream, parameters);
  draft.write(head.slab, at);
  placeSection(head, at, lsn);
  showSections(head);
  return at + draft.bytes;
}

describe('sections of a stream', () => {
  it('that may have a column between two times are all found, in views of any age, while others come', () => {
    fc.assert(
      fc.property(
        fc.array(written, { minLength: 1, maxLength: 700, size: 'max' }),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: -600, max: 600 }), fc.integer({ min: 0, max: 300 })), {
          minLength: 20,
          maxLength: 20,
        }),
        (sections, questions) => {
          const head = headSlab(makeSlab(1, new SharedArrayBuffer(1 << 18)));
          const views: HeadView[] = [headView(head)];
          let at = 0;
          sections.forEach((section, i) => {
            at = add(head, at, section, i + 1);
            if (i % 50 === 0) views.push(headView(head));
            const [draw, first, length] = questions[i % questions.length]!;
            const view = views[draw % views.length]!;
            const wanted = new Set([1 + (draw % 17), 1 + (draw % 5)]);
            const [stream, from, to] = [1 + (draw % 2), BigInt(first), BigInt(first + length)];
            const found = sectionsWanted(view, stream, from, to, wanted);
            assert.deepEqual(
              found,
              [...new Set(found)].sort((a, b) => a - b),
            );
            const seen = sections.slice(0, view.count);
            for (const section of found) assert.equal(seen[section]?.stream, stream);
            const all = sectionsWanted(view, stream, from, to);
            seen.forEach((one, number) => {
              if (one.stream !== stream || one.time < from || one.time > to) return;
              assert.ok(all.includes(number));
              if (parametersOf(one).some((parameter) => wanted.has(parameter)))
                assert.ok(found.includes(number));
            });
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  it('of other columns, and of other times, are passed over', () => {
    const head = headSlab(makeSlab(1, new SharedArrayBuffer(1 << 18)));
    let at = 0;
    for (let i = 0; i < 1000; i++)
      at = add(head, at, { stream: 1, time: i, parameter: 1 + (i % 10), columns: 1 }, i + 1);
    const view = headView(head);
    assert.equal(sectionsWanted(view, 1, 0n, 2000n, new Set([4])).length, 100);
    assert.equal(sectionsWanted(view, 1, 0n, 99n, new Set([4])).length, 64);
    assert.deepEqual(sectionsWanted(view, 1, 0n, 2000n, new Set([11])), []);
  });
});
