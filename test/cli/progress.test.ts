import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgress } from '../../src/cli/progress.ts';

function written(isTTY: boolean, use: (progress: ReturnType<typeof createProgress>) => void): string {
  let text = '';
  const out = {
    isTTY,
    write(chunk: string | Uint8Array) {
      text += String(chunk);
      return true;
    },
  };
  use(createProgress(out));
  return text;
}

describe('progress', () => {
  it('is a bar on a terminal, cleared at the end', () => {
    const text = written(true, (progress) => {
      progress.at(0.5, '1 of 2 rows');
      progress.end();
    });
    assert.match(text, /^\r\[#{15}\.{15}\] {2}50 % 1 of 2 rows\r +\r$/);
  });

  it('is a plain line for every tenth elsewhere', () => {
    const text = written(false, (progress) => {
      for (let i = 1; i <= 20; i++) progress.at(i / 20, `${i} of 20 rows`);
      progress.end();
    });
    assert.equal(text.split('\n').length - 1, 10);
    assert.match(text, /^10 % 2 of 20 rows\n/);
    assert.match(text, /100 % 20 of 20 rows\n$/);
  });

  it('says what is told each time', () => {
    const tell = (progress: ReturnType<typeof createProgress>): void => {
      progress.soFar(8, '8 MB');
      progress.say('a pause');
      progress.say('a pause until noon');
      progress.end();
    };
    assert.equal(written(false, tell), '8 MB\na pause\na pause until noon\n');
    assert.match(written(true, tell), /^\r8 MB\ra pause\ra pause until noon\r +\r$/);
  });

  it('without a known end is the amount on a terminal, and a line for every doubling elsewhere', () => {
    const tell = (progress: ReturnType<typeof createProgress>): void => {
      for (let i = 1; i <= 9; i++) progress.soFar(i, `${i} MB`);
      progress.end();
    };
    assert.equal(written(false, tell), '1 MB\n2 MB\n4 MB\n8 MB\n');
    assert.match(written(true, tell), /^\r1 MB\r2 MB(?:.|\r)*\r9 MB\r +\r$/);
  });
});
