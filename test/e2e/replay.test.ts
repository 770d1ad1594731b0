import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { until } from '../until.ts';
import { adminToken, launch, run, send, startService } from './service.ts';

describe('pitwall replay', async () => {
  const service = await startService();
  const { url } = service;
  const client = createClient({ url, token: adminToken });
  const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
  const start = 1_612_191_099_000_000_001n;
  const source = ['--topic', 'cars', '--stream', 'lap-7'];
  const place = [...source, '--to-topic', 'replay'];
  const seconds = 3600;
  const timestamps = Array.from({ length: seconds }, (_, i) => start + BigInt(i) * 1_000_000_000n);

  it('writes equal rows and closes the target', async () => {
    await client.writeParameterData('cars', 'lap-7', {
      timestamps,
      numericValues: { Speed: timestamps.map((_, i) => i / 3) },
      tagValues: { lap: timestamps.map((_, i) => (i % 7 === 0 ? null : String(i % 7))) },
    });
    await client.writeEvents('cars', 'lap-7', [{ id: 'pit', timestamp: start + 5n, value: 'in' }]);
    await client.closeStream('cars', 'lap-7');
    const done = await run(['replay', ...place, '--to-stream', 'copy', '--speed', '1000000'], env);
    assert.equal(done.code, 0, done.stderr);
    assert.equal(
      done.stdout,
      '3600 rows and 1 event are in topic replay, stream copy; the stream is closed\n',
    );
    const rows = (topic: string) =>
      client.query({ topic, numericParameters: [{ parameterName: 'Speed' }], groupBy: ['lap'] });
    assert.deepEqual(await rows('replay'), await rows('cars'));
    assert.deepEqual(await client.eventData({ topic: 'replay' }), await client.eventData({ topic: 'cars' }));
  });

  it('says what is older than the retention of the topic that it goes to', async () => {
    const settings = await send(url, '/topics/brief', { method: 'PUT', body: '{"retention":"1d"}' });
    assert.equal(settings.status, 200, settings.text);
    const words = [...source, '--to-topic', 'brief', '--speed', '1000000'];
    const { stdout } = await run(['replay', ...words], env);
    assert.equal(
      stdout,
      '3600 rows and 1 event went to topic brief, stream lap-7; 3601 of them are older than the retention of the topic, and were not kept; the stream is closed\n',
    );
  });

  it('ends cleanly with Ctrl+C, and says how far it is', async () => {
    const { child, stderr, finished } = launch(['replay', ...place, '--speed', '10', '--times', 'now'], env);
    const written = async () => {
      const [stream] = await client.streams({ topic: 'replay', streamIds: ['lap-7'] });
      return stream?.dataEnd === undefined
        ? 0
        : Number((stream.dataEnd - stream.dataStart!) / 100_000_000n) + 1;
    };
    await until(async () => (await written()) >= 5 && /rows\/s, .* behind/.test(stderr()));
    child.kill('SIGINT');
    const { code, stdout } = await finished;
    assert.equal(code, 0, stderr());
    assert.match(stdout, /^\d+ rows and 1 event are in topic replay, stream lap-7; .* closed as Aborted\n$/);
    const [stream] = await client.streams({ topic: 'replay', streamIds: ['lap-7'] });
    assert.equal(stream!.status, 'Aborted');
    assert.ok((await written()) < seconds);
  });

  it('says when it goes on, where the recording has a pause', async () => {
    const day = 86_400_000_000_000n;
    await client.writeParameterData('cars', 'paused', {
      timestamps: [start, start + day],
      numericValues: { Speed: [1, 2] },
    });
    const args = ['--topic', 'cars', '--stream', 'paused', '--to-topic', 'replay'];
    const { child, stderr, finished } = launch(['replay', ...args], env);
    const paused = /^2021-02-01T14:51:39\.000Z {2}1 row, 0 events, a pause: the next is due at (\S+)$/m;
    await until(() => paused.test(stderr()));
    const due = new Date(paused.exec(stderr())![1]!).getTime();
    assert.ok(due > Date.now() + 80_000_000 && due < Date.now() + 86_400_000);
    child.kill('SIGINT');
    assert.equal((await finished).code, 0, stderr());
  });

  it('says in one line what is wrong', async () => {
    const wrong = async (code: number, message: RegExp, ...args: string[]) => {
      const done = await run(['replay', ...args], env);
      assert.equal(done.code, code, done.stderr);
      assert.match(done.stderr, message);
      assert.equal(done.stderr.trim().split('\n').length, 1);
    };
    await wrong(2, /--to-topic is needed/, '--topic', 'cars', '--stream', 'lap-7');
    await wrong(2, /--speed is a number from 0.001 to 1000000, not '-1'/, ...place, '--speed=-1');
    await wrong(2, /--times is original or now, not 'later'/, ...place, '--times', 'later');
    await wrong(2, /--from is after --to/, ...place, '--from', '2', '--to', '1');
    await wrong(2, /cannot be replayed to itself/, ...source, '--to-topic', 'Cars');
    await wrong(2, /--to-topic is given twice/, ...place, '--to-topic', 'Cars');
    await wrong(2, /--loop takes no value/, ...place, '--loop', 'true');
    await wrong(1, /there is no stream nobody in topic cars/, ...place.with(3, 'nobody'));
    await wrong(1, /401 /, ...place, '--token', 'another');
    await wrong(1, /cannot be reached: /, ...place, '--url', 'http://127.0.0.1:1');
  });
});
