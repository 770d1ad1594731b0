import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { errorTable } from '../../../../src/errors.ts';
import {
  appendRefusals,
  faultCodes,
  faultOf,
  isPassing,
  type LogEvent,
  type LogState,
  logTransitions,
} from '../../../../src/store/embedded/log/log-state.ts';

const states: readonly LogState[] = ['writable', 'full', 'starved', 'failed', 'closed'];
const events: readonly LogEvent[] = ['noSpace', 'noFiles', 'ready', 'ioError', 'close'];

const after = (history: readonly LogEvent[]) =>
  history.reduce<LogState>((state, event) => logTransitions[state][event], 'writable');

describe('the life of a commit log', () => {
  it('has an answer to every event in every state', () => {
    assert.deepEqual(Object.keys(logTransitions).sort(), [...states].sort());
    for (const state of states) {
      assert.deepEqual(Object.keys(logTransitions[state]).sort(), [...events].sort());
      for (const event of events) assert.ok(states.includes(logTransitions[state][event]));
    }
  });

  it('takes appends while it is writable, and else refuses them with 503', () => {
    assert.deepEqual(Object.keys(appendRefusals).sort(), [...states].sort());
    assert.equal(appendRefusals.writable, undefined);
    for (const state of states.filter((other) => other !== 'writable')) {
      assert.equal(errorTable[appendRefusals[state]!].status, 503);
    }
  });

  it('passes where the disk is full or no file can be opened, and nowhere else', () => {
    const answerTo = (code: string) => faultCodes[faultOf(Object.assign(new Error(code), { code }))];
    assert.deepEqual(['ENOSPC', 'EDQUOT'].map(answerTo), ['disk_full', 'disk_full']);
    assert.deepEqual(['EMFILE', 'ENFILE'].map(answerTo), ['overloaded', 'overloaded']);
    assert.deepEqual(['EIO', 'EROFS', 'ENOENT'].map(answerTo), Array(3).fill('storage_failed'));
    assert.deepEqual(states.filter(isPassing), ['full', 'starved']);
  });

  it('is what its history says: closed for good, else failed for good, else what came last', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events)), (history) => {
        const last = history.findLast((event) => event !== 'ioError' && event !== 'close');
        let expected: LogState = 'writable';
        if (last === 'noSpace') expected = 'full';
        if (last === 'noFiles') expected = 'starved';
        if (history.includes('ioError')) expected = 'failed';
        if (history.includes('close')) expected = 'closed';
        assert.equal(after(history), expected);
      }),
    );
  });
});
