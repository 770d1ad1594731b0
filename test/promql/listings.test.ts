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

describe('a selector of what there is', async () => {
  const { url } = await startService();

  it('is refused with an offset or a time of its own, as it would have none', async () => {
    for (const selector of ['up offset 5m', 'up @ 1', 'up @ end()', 'up[5m]', 'sum(up)'])
      for (const path of ['series', 'labels', 'label/job/values']) {
        const reply = await send(url, `/api/v1/${path}?${new URLSearchParams({ 'match[]': selector })}`, {});
        assert.equal(reply.status, 400, `${path} ${selector}`);
        assert.match(
          reply.json<{ error: string }>().error,
          /^invalid parameter "match\[\]": .* no selector$/,
        );
      }
    const plain = await send(url, '/api/v1/series?match[]=up', {});
    assert.equal(plain.status, 200);
  });
});

describe('a query with a limit', async () => {
  const { url } = await startService();

  const ask = async (path: string, query: string, more: Readonly<Record<string, string>>) => {
    const times =
      path === 'query' ? { time: String(start) } : { start: String(start), end: String(start), step: '1' };
    const body = new URLSearchParams({ query, ...times, ...more }).toString();
    const reply = await send(url, `/api/v1/${path}`, { body });
    const answer = reply.json<{
      data?: { result: { metric: Record<string, string> }[] };
      warnings?: string[];
      errorType?: string;
    }>();
    const shown = answer.data?.result.map(({ metric }) => metric['instance']);
    return [reply.status, shown, answer.warnings, answer.errorType];
  };

  it('has so many series at most, the first by their order, and says that there are more', async () => {
    const streams = ['c', 'a', 'b'].map((streamId, i) => ({
      streamId,
      timestamps: [`${start}000000000`],
      numericValues: { speed: [i] },
    }));
    const path = '/topics/cars/parameters/data';
    assert.equal((await send(url, path, { body: JSON.stringify(streams) })).status, 200);
    const warnings = ['results truncated due to limit'];
    for (const [way, query, limit, shown] of [
      ['query', 'speed', '2', ['a', 'b']],
      ['query', 'speed[1m]', '2', ['a', 'b']],
      ['query', 'sort_desc(speed)', '1', ['b']],
      ['query', 'speed', '0', ['a', 'b', 'c']],
      ['query_range', 'speed', '1', ['a']],
      ['query_range', 'speed', '3', ['a', 'b', 'c']],
    ] as const) {
      const told = shown.length < streams.length ? warnings : undefined;
      assert.deepEqual(await ask(way, query, { limit }), [200, shown, told, undefined], `${query} ${limit}`);
    }
    assert.deepEqual(await ask('query', 'speed', { limit: '-1' }), [400, undefined, undefined, 'bad_data']);
  });
});
