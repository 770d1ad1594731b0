import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, startService } from '../e2e/service.ts';

/** Seconds of the first rows. */
const start = 1_700_000_000;

describe('what there is in a range of time', async () => {
  const { url } = await startService();

  const values = async (label: string, range: Readonly<Record<string, string>>): Promise<string[]> => {
    const reply = await send(url, `/api/v1/label/${label}/values?${new URLSearchParams(range)}`, {});
    assert.equal(reply.status, 200, reply.text);
    return reply.json<{ data: string[] }>().data;
  };

  it('is told of names as of streams', async () => {
    for (const [topic, stream, name, seconds] of [
      ['a', 'one', 'first', start],
      ['a', 'two', 'second', start + 100],
      ['b', 'one', 'third', start + 200],
    ] as const) {
      const body = { timestamps: [`${seconds}000000000`], numericValues: { [name]: [1], both: [2] } };
      const path = `/topics/${topic}/streams/${stream}/parameters/data`;
      assert.equal((await send(url, path, { body: JSON.stringify(body) })).status, 200);
    }
    for (const [from, to, names, topics] of [
      [undefined, undefined, ['both', 'first', 'second', 'third'], ['a', 'b']],
      [start, start + 100, ['both', 'first', 'second'], ['a']],
      [start + 150, undefined, ['both', 'third'], ['b']],
      [undefined, start - 1, [], []],
    ] as const) {
      const range = {
        ...(from !== undefined && { start: String(from) }),
        ...(to !== undefined && { end: String(to) }),
      };
      assert.deepEqual(await values('__name__', range), names);
      assert.deepEqual(await values('job', range), topics);
      assert.deepEqual(await values('__name__', { ...range, 'match[]': '{job!=""}' }), names);
    }
  });
});
