import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { catchingUp } from '../../../web/src/live/catch-up.ts';
import { until } from '../../until.ts';

/** Reads that are ended by hand. */
function byHand() {
  const asked: { stream: string; since: bigint | undefined; end: (error?: Error) => void }[] = [];
  const problems: unknown[] = [];
  const ending = new AbortController();
  let newest = 0n;
  const told = catchingUp(['a', 'b'], {
    read: (stream, since) =>
      new Promise((resolve, reject) => {
        asked.push({ stream, since, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    newestOf: () => newest,
    onRead: () => {
      newest++;
    },
    onProblem: (error) => problems.push(error),
    signal: ending.signal,
    pauseMs: 1,
  });
  return { asked, problems, ending, told };
}

describe('what is missing of streams that are followed', () => {
  it('is read again where it could not be, and the page is told', async () => {
    const { asked, problems, told } = byHand();
    told(true);
    const failure = new Error('too busy');
    asked[0]!.end(failure);
    asked[1]!.end();
    await until(() => asked.length === 3);
    assert.equal(asked[2]!.stream, 'a');
    assert.deepEqual(problems, [failure]);
    asked[2]!.end();
    await until(() => problems.length === 2);
    assert.equal(problems[1], undefined);
  });

  it('is all since nothing was missing, and not since a read that a lost connection overtook', async () => {
    const { asked, told } = byHand();
    told(true);
    asked[0]!.end();
    await turn();
    told(false);
    told(true);
    assert.deepEqual(
      asked.slice(2).map(({ stream, since }) => [stream, since]),
      [
        ['a', 1n],
        ['b', undefined],
      ],
    );
    // The first read of b ends now: of the time without a connection it has nothing.
    asked[1]!.end();
    await turn();
    told(false);
    told(true);
    assert.deepEqual([asked[4]!.since, asked[5]!.since], [1n, undefined]);
  });

  it('is not asked for after the end', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { asked, problems, ending, told } = byHand();
    told(true);
    asked[0]!.end(new Error('too busy'));
    await turn();
    ending.abort();
    asked[1]!.end(new Error('aborted'));
    await turn();
    mock.timers.tick(10);
    assert.deepEqual([asked.length, problems.length], [2, 1]);
  });
});
