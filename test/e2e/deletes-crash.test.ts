import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Random, seededRandom } from '../store/embedded/random.ts';
import { launchService, send, temporaryFolder } from './service.ts';

/** A stream as a client knows it: the times of its rows, and whether it is soft-deleted; undefined where it is not. */
type State = { readonly times: readonly number[]; readonly deleted: boolean } | undefined;
const actions = ['write', 'write', 'write', 'deleteRows', 'softDelete', 'restore', 'hardDelete'] as const;
type Action = (typeof actions)[number];

/** What one stream went through: it is as the last acknowledged step left it, or one step further. */
interface Life {
  readonly streamId: string;
  acknowledged: State;
  underWay: State;
}

const rounds = 6;
const streams = 5;

/** The times that a delete of rows takes away: some of what the stream was given last, and not the very last. */
function range(time: number): { readonly from: number; readonly to: number } {
  return { from: time - 20, to: time - 5 };
}

function after(state: State, action: Action, time: number): State {
  if (action === 'write') return { times: [...(state?.times ?? []), time], deleted: false };
  if (action === 'hardDelete' || state === undefined) return undefined;
  if (action === 'deleteRows') {
    if (state.deleted) return state;
    const { from, to } = range(time);
    return { times: state.times.filter((one) => one < from || one > to), deleted: false };
  }
  return { times: state.times, deleted: action === 'softDelete' };
}

const filterOf = (streamId: string): object => ({ topic: 'cars', streamIds: [streamId] });

const requestOf: Readonly<Record<Action, (streamId: string, time: number) => [path: string, body: object]>> =
  {
    write: (streamId, time) => [
      `/topics/cars/streams/${streamId}/parameters/data`,
      { timestamps: [time], numericValues: { speed: [time] } },
    ],
    deleteRows: (streamId, time) => ['/parameters/data/delete', { ...filterOf(streamId), ...range(time) }],
    softDelete: (streamId) => ['/streams/delete', filterOf(streamId)],
    hardDelete: (streamId) => ['/streams/delete', { ...filterOf(streamId), hardDelete: true }],
    restore: (streamId) => ['/streams/restore', filterOf(streamId)],
  };

async function perform(url: string, streamId: string, action: Action, time: number): Promise<void> {
  const [path, body] = requestOf[action](streamId, time);
  const answer = await send(url, path, { body: JSON.stringify(body) });
  assert.equal(answer.status, 200, answer.text);
}

/** Goes on with a stream until the process is gone. */
async function live(url: string, life: Life, random: Random, nextTime: () => number): Promise<void> {
  try {
    for (;;) {
      const action = random.pick(actions);
      const time = nextTime();
      life.underWay = after(life.acknowledged, action, time);
      await perform(url, life.streamId, action, time);
      life.acknowledged = life.underWay;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(code))) throw error;
  }
}

/** What a start shows of a stream; the rows of a soft-deleted one cannot be read, so its bounds stand for them. */
async function found(url: string, streamId: string): Promise<string> {
  const filter = filterOf(streamId);
  const statuses = ['Open', 'Interrupted', 'Closed', 'SoftDeleted'];
  const listed = await send(url, '/streams', {
    body: JSON.stringify({ ...filter, includeStatuses: statuses }),
  });
  const [stream, ...more] = listed.json<{ status: string; dataStart: number; dataEnd: number }[]>();
  assert.deepEqual(more, []);
  const read = await send(url, '/parameters/data', {
    body: JSON.stringify({ ...filter, numericParameters: [{ parameterName: 'speed' }] }),
  });
  const { timestamps } = read.json<{ timestamps: number[] }>();
  if (stream === undefined)
    return shown(timestamps.length === 0 ? undefined : { times: timestamps, deleted: true });
  if (stream.status !== 'SoftDeleted') return shown({ times: timestamps, deleted: false });
  assert.deepEqual(timestamps, [], 'rows of a soft-deleted stream');
  return `soft-deleted ${stream.dataStart}..${stream.dataEnd}`;
}

function shown(state: State): string {
  if (state === undefined) return 'not there';
  const { times, deleted } = state;
  return deleted ? `soft-deleted ${times[0]}..${times.at(-1)}` : times.join();
}

describe('deletes of streams and rows', () => {
  it('are whole or absent after kill -9 at any moment, and nothing that was removed comes back', async () => {
    const random = seededRandom(7);
    const dataDir = temporaryFolder();
    let time = 0;
    const lives = Array.from({ length: streams }, (_, i): Life => {
      return { streamId: `s${i}`, acknowledged: undefined, underWay: undefined };
    });
    for (let round = 0; round < rounds; round++) {
      const service = await launchService(dataDir);
      for (const life of lives) {
        const now = await found(service.url, life.streamId);
        const possible = [life.acknowledged, life.underWay];
        const state = possible.findIndex((one) => shown(one) === now);
        assert.ok(state >= 0, `${life.streamId} is ${now}, not ${possible.map(shown).join(' or ')}`);
        life.acknowledged = possible[state];
      }
      const killed = new Promise((resolve) => setTimeout(resolve, random.int(50, 600))).then(() =>
        service.stop('SIGKILL'),
      );
      const going = lives.map((life) =>
        live(service.url, life, seededRandom(random.int(0, 1e9)), () => ++time),
      );
      await Promise.all([...going, killed]);
    }
    assert.ok(time > 0, 'something was written or deleted');
  });
});
