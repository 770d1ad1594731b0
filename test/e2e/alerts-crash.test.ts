import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { type PlainRow, plainChanges } from '../alerts/reference.ts';
import { type Receiver, startReceiver } from '../ingest/webhooks/receiver.ts';
import { type Random, seededRandom } from '../store/embedded/random.ts';
import { until } from '../until.ts';
import { launchService, type RunningService, send, temporaryFolder } from './service.ts';

const streams = 4;
const rounds = 8;
const terms = { expression: 'Temp > 100', for: '3ns', clear: 'Temp < 90' };
const plain = {
  isTrue: ({ a }: PlainRow) => a! > 100,
  clears: ({ a }: PlainRow) => a! < 90,
  forNs: 3n,
};

/** Rows of a stream, as its writer sends them: one request after the other, each again until it is acknowledged. */
interface Recording {
  readonly streamId: string;
  readonly random: Random;
  readonly acknowledged: PlainRow[][];
  /** What was sent and may be there. */
  pending: PlainRow[] | undefined;
}

describe('the events of alert rules', () => {
  it('stand once each, and none is missing, and webhooks are told of each, though the service is killed at any moment', async () => {
    const random = seededRandom(7);
    const dataDir = temporaryFolder();
    const recordings = Array.from(
      { length: streams },
      (_, i): Recording => ({
        streamId: `s${i}`,
        random: seededRandom(i),
        acknowledged: [],
        pending: undefined,
      }),
    );
    const receiver = await startReceiver();
    after(() => receiver.close());
    receiver.answer((response) => {
      const chance = random.next();
      if (chance < 0.05) response.destroy();
      else response.writeHead(chance < 0.1 ? 500 : 200).end();
    });
    const args = ['--head-bytes', '4MiB', '--webhook-allow', '127.0.0.1'];
    const rule = { ...terms, webhook: { url: `http://${receiver.host}/` } };
    let service = await launchService(dataDir, { args });
    const made = await send(service.url, '/topics/t/alerts/hot', {
      method: 'PUT',
      body: JSON.stringify(rule),
    });
    assert.equal(made.status, 200, made.text);
    for (let round = 0; round < rounds; round++) {
      const { child, url } = service;
      // After some writes, however fast the machine is, and then at any moment.
      const most = countOf(recordings) + random.int(5, 60);
      const killed = until(() => countOf(recordings) >= most).then(async () => {
        await new Promise((resolve) => setTimeout(resolve, random.int(0, 100)));
        child.kill('SIGKILL');
        await once(child, 'exit');
      });
      await Promise.all([...recordings.map((recording) => record(url, recording)), killed]);
      service = await launchService(dataDir, { args });
    }
    // What was under way is sent again, as any client does.
    for (const recording of recordings) await sendNext(service.url, recording);
    await check(service, recordings);
    await service.stop();
    service = await launchService(dataDir, { args });
    await check(service, recordings);
    await checkTold(receiver, recordings);
    await service.stop();
  });
});

/** Writes that were acknowledged. */
function countOf(recordings: readonly Recording[]): number {
  return recordings.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
}

/** The receiver got each change, in order of time for each stream; some again, as messages of the same id. */
async function checkTold({ received }: Receiver, recordings: readonly Recording[]): Promise<void> {
  for (const { streamId, acknowledged } of recordings) {
    const wanted = plainChanges(plain, acknowledged).map(({ state, time }) => `${state} ${time}`);
    const told = () => {
      const byId = new Map<string, string>();
      for (const { message } of received) {
        const { id, stream, state, time } = message;
        if (stream === streamId && !byId.has(id)) byId.set(id, `${state} ${time}`);
      }
      return [...byId.values()];
    };
    await until(() => told().length >= wanted.length);
    assert.deepEqual(told(), wanted, streamId);
  }
}

async function record(url: string, recording: Recording): Promise<void> {
  try {
    for (;;) await sendNext(url, recording);
  } catch (error) {
    // The connection went with the process.
    const { code } = error as NodeJS.ErrnoException;
    if (!['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(code))) throw error;
  }
}

async function sendNext(url: string, recording: Recording): Promise<void> {
  const { streamId, random, acknowledged } = recording;
  recording.pending ??= nextWrite(random, acknowledged);
  const body = JSON.stringify({
    timestamps: recording.pending.map(({ time }) => Number(time)),
    numericValues: { Temp: recording.pending.map(({ a }) => a) },
  });
  const reply = await send(url, `/topics/t/streams/${streamId}/parameters/data`, { body });
  if (reply.status === 503) return;
  assert.equal(reply.status, 200, reply.text);
  acknowledged.push(recording.pending);
  recording.pending = undefined;
}

/** Mostly newer rows, but some are sent again, as others, or come late. */
function nextWrite(random: Random, acknowledged: readonly PlainRow[][]): PlainRow[] {
  const chance = random.next();
  const earlier = acknowledged[random.int(0, acknowledged.length)];
  if (chance < 0.1 && earlier !== undefined) return earlier;
  const last = acknowledged.reduce((time, rows) => (rows.at(-1)!.time > time ? rows.at(-1)!.time : time), 0n);
  if (chance < 0.2 && last > 20n) return nextRows(random, last - BigInt(random.int(1, 20)));
  return nextRows(random, last);
}

function nextRows(random: Random, last: bigint): PlainRow[] {
  let time = last;
  const hot = random.chance(0.5);
  return Array.from({ length: random.int(1, 6) }, () => {
    time += BigInt(random.int(1, 3));
    return { time, tags: '', a: hot ? random.int(99, 110) : random.int(80, 101) };
  });
}

interface Events {
  readonly data: { readonly 'alert:hot'?: readonly { timestamp: number; tags: { state: string } }[] };
}

async function check({ url }: RunningService, recordings: readonly Recording[]): Promise<void> {
  let firing = 0;
  for (const { streamId, acknowledged } of recordings) {
    const wanted = plainChanges(plain, acknowledged).map(({ state, time }) => `${state} ${time}`);
    if (wanted.length % 2 === 1) firing++;
    const body = JSON.stringify({ streamIds: [streamId], eventIds: ['alert:hot'] });
    const reply = await send(url, '/events/data', { body });
    const { data } = reply.json<Events>();
    const found = (data['alert:hot'] ?? []).map(({ timestamp, tags }) => `${tags.state} ${timestamp}`);
    assert.deepEqual(found, wanted, streamId);
  }
  // Messages that are tried again stand there too.
  const alerts = (await send(url, '/alerts', { method: 'POST', body: '{}' })).json<{ state: string }[]>();
  assert.equal(alerts.filter(({ state }) => state === 'firing').length, firing);
}
