import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { keptMarks } from '../../src/replicas/kept-marks.ts';
import { firstPosition, type Position } from '../../src/replicas/position.ts';
import { chooseBase, createTail, hasApplied, type NodeTail, type Tail } from '../../src/replicas/tail.ts';
import { temporaryFolder } from '../e2e/service.ts';

/** A node that knows messages from a place on: a number is a write with that mark, a text a lease. */
function node(name: string, first: number, marks: readonly (number | string)[]): NodeTail {
  const messages = marks.map((mark, i) => {
    const isWrite = typeof mark === 'number';
    return { sequence: first + i, mark: Number(mark), at: Number(mark), isWrite, isKept: i > 0 };
  });
  return { node: name, run: `run of ${name}`, hasRead: marks.length > 1, messages };
}

function chosen(...tails: NodeTail[]): { base: string; missing: number[] } | undefined {
  const choice = chooseBase(tails);
  assert.deepEqual(chooseBase([...tails].reverse()), choice, 'every node chooses the same');
  return choice && { base: choice.base.node, missing: choice.missing.map(({ message }) => message.mark) };
}

describe('what the log goes on with after a loss', () => {
  it('is the data of the node that has applied most, where others have the same but less', () => {
    assert.deepEqual(chosen(node('a', 0, [0, 1, 2]), node('b', 0, [0, 1, 2, 3]), node('c', 1, [1])), {
      base: 'b',
      missing: [],
    });
    assert.deepEqual(chosen(node('b', 0, [0, 1]), node('a', 0, [0, 1])), { base: 'a', missing: [] });
  });

  it('is the older of two ends, and behind it the writes of the other, each once and in the order of their time', () => {
    const old = node('a', 0, [0, 1, 2, 3, '4']);
    assert.deepEqual(chosen(old, node('b', 0, [0, 1, 7, '8', 9, 10]), node('c', 0, [0, 1, 7, '8', 9])), {
      base: 'a',
      missing: [7, 9, 10],
    });
    // A message that stands in another place for one node is the same message.
    assert.deepEqual(chosen(old, node('b', 0, [0, 1, 3, 9])), { base: 'a', missing: [9] });
    // What leases alone say is no reason to keep anything.
    assert.deepEqual(chosen(old, node('b', 0, [0, 1, '7', '8', '9', '10'])), { base: 'a', missing: [] });
  });

  it('is that of a node that has just started, where one that runs tells what it has', () => {
    assert.deepEqual(chosen(node('a', 3, [3]), node('b', 0, [0, 1, 2, 3]), node('c', 0, [0, 1, 8, 9])), {
      base: 'b',
      missing: [8, 9],
    });
  });

  it('is that of the furthest, where all have just started', () => {
    assert.deepEqual(chosen(node('a', 5, [5]), node('b', 7, [7]), node('c', 6, [6])), {
      base: 'b',
      missing: [],
    });
  });

  it('is not known where nodes differ, and do not know since when', () => {
    assert.equal(chosen(node('a', 5, [5]), node('b', 5, [50])), undefined);
    assert.equal(chosen(node('a', 5, [5]), node('b', 0, [0, 1, 2, 30, 40, 50])), undefined);
    assert.equal(chosen(node('a', 5, [5]), node('b', 0, [0, 1, 2])), undefined);
  });
});

describe('what a node has applied last', () => {
  const at = (sequence: number, log = 'the-log') => ({
    ...firstPosition(log, sequence),
    mark: sequence * 11,
  });
  const none = { found: [], add() {}, replace() {} };

  it('is known by the next start after a kill, up to its position', () => {
    const folder = temporaryFolder();
    const start = (position: Position) => createTail(position, keptMarks(folder, position));
    const marksOf = ({ messages }: Tail) => messages.map(({ mark }) => mark);
    const tail = start(at(4));
    for (const sequence of [5, 6, 7])
      tail.add({ sequence, mark: sequence * 11, at: 1, isWrite: true }, [{ id: 'x', record: Buffer.of(1) }]);
    const next = start(at(6));
    assert.deepEqual(marksOf(next), [44, 55, 66]);
    assert.deepEqual([next.lastWrite.sequence, next.recordsOf(6)], [6, undefined]);
    assert.deepEqual(
      next.messages.map(({ isKept }) => isKept),
      [false, false, false],
    );
    next.add({ sequence: 7, mark: 70, at: 1, isWrite: false }, []);
    // A kill in the middle of a line.
    appendFileSync(join(folder, 'replica-tail'), '[8,88,1');
    assert.deepEqual(marksOf(start({ ...at(7), mark: 70 })), [44, 55, 66, 70]);
    // Where the end is not there, or the log is another one, the position is all.
    assert.deepEqual(marksOf(start(at(9))), [99]);
    assert.deepEqual(marksOf(start(at(9, 'another'))), [99]);
  });

  it('is known by place and mark, as far back as it goes', () => {
    const tail = createTail(at(4), none);
    tail.add({ sequence: 5, mark: 55, at: 2, isWrite: true }, [{ id: 'x', record: Buffer.of(1) }]);
    tail.add({ sequence: 6, mark: 66, at: 3, isWrite: false }, []);
    // Read again by a start.
    tail.add({ sequence: 5, mark: 55, at: 2, isWrite: true }, []);
    assert.deepEqual(
      tail.messages.map(({ mark }) => mark),
      [44, 55, 66],
    );
    assert.equal(tail.lastWrite.sequence, 5);
    assert.equal(tail.recordsOf(5)?.[0]?.id, 'x');
    assert.equal(tail.recordsOf(6), undefined);
    const told = { node: 'a', run: 'r', hasRead: true, messages: tail.messages };
    assert.equal(hasApplied(told, { sequence: 3, mark: 1 }), true);
    assert.equal(hasApplied(told, { sequence: 5, mark: 55 }), true);
    assert.equal(hasApplied(told, { sequence: 5, mark: 56 }), false);
    assert.equal(hasApplied(told, { sequence: 7, mark: 77 }), false);
  });

  it('keeps the records of so many bytes, the newest at least', () => {
    const tail = createTail(at(0), none);
    const record = Buffer.alloc(9 << 20);
    for (const sequence of [1, 2, 3])
      tail.add({ sequence, mark: sequence, at: 0, isWrite: true }, [{ id: '', record }]);
    assert.deepEqual(
      [1, 2, 3].map((sequence) => tail.recordsOf(sequence)?.length),
      [undefined, undefined, 1],
    );
  });
});
