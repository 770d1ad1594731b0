import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closing } from '../../../src/store/embedded/closing.ts';

describe('closing what was opened', () => {
  it('begins with the last, waits for each, and does it once', async () => {
    const done: string[] = [];
    const opened = closing();
    opened.add(() => void done.push('lock'));
    opened.add(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      done.push('log');
    });
    opened.add(() => void done.push('timer'));
    await opened.close();
    await opened.close();
    assert.deepEqual(done, ['timer', 'log', 'lock']);
  });
});
