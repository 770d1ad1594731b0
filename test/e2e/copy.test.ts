import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../until.ts';
import { argsOf, compare, copy, env, fill, must, type Service } from './copy-world.ts';
import { adminToken, launch, run, send, startService, temporaryFolder } from './service.ts';

describe('copy', () => {
  it('gives another service everything: every answer is the same, and a second run changes nothing', async () => {
    const source = await startService();
    const filled = await fill(source);
    const target = await startService();
    const args = argsOf(source.url, target);
    const told = await copy(args);
    assert.match(told, /^copied 14 streams .* of 3 workspaces/);
    assert.match(told, /2 streams are in the bin of the source/);
    await compare(source, target, filled);
    const shared = await send(target.url, '/views/braking', { token: filled.shareToken });
    assert.equal(shared.status, 200, shared.text);
    await copy(args);
    await compare(source, target, filled);
    // What is long past is not read again: ten seconds are.
    await until(async () => /copied 0 streams \(14 more had not changed\)/.test(await copy(args)), 5000);
    await compare(source, target, filled);
  });

  it('takes the data folder of a service that is stopped', async () => {
    const dataDir = temporaryFolder();
    const source = await startService({ dataDir });
    const filled = await fill(source);
    const target = await startService();
    const inUse = await run(argsOf(dataDir, target), env);
    assert.equal(inUse.code, 1);
    assert.match(inUse.stderr, /^pitwall: the source .* cannot be opened: .*\n$/);
    await source.stop();
    await copy(argsOf(dataDir, target));
    const again = await startService({ dataDir });
    await compare(again, target, filled);
  });

  it('goes on after it was killed, again and again, and everything is there', async () => {
    const source = await startService();
    const filled = await fill(source);
    await fillLong(source);
    const target = await startService();
    const notes = join(temporaryFolder(), 'notes');
    const args = argsOf(source.url, target, notes);
    // Each kill comes within the long stream, behind the one before.
    const partsOf = () =>
      existsSync(notes) ? (readFileSync(notes, 'utf8').match(/"long".*"to":"\d+"/g) ?? []).length : 0;
    for (let kills = 0; kills < 3; kills++) {
      const before = partsOf();
      const { child, finished } = launch(args, env);
      await until(() => partsOf() > before || child.exitCode !== null);
      child.kill('SIGKILL');
      assert.equal((await finished).code, null, 'it was killed before its end');
    }
    // What a kill may leave of a line.
    appendFileSync(notes, '{"stream":["default","Ca');
    await copy(args);
    await compare(source, target, filled);
  });

  it('copies what is large: binaries, thousands of columns, many events of one time, the ends of time', async () => {
    const source = await startService();
    await fillLarge(source);
    const target = await startService();
    await copy(argsOf(source.url, target));
    await compare(source, target, { tokens: { default: adminToken } });
  });

  it('ends cleanly when it is interrupted, and says how to go on', async () => {
    const source = await startService();
    await fillLong(source);
    const target = await startService();
    const notes = join(temporaryFolder(), 'notes');
    const { child, finished, stderr } = launch(argsOf(source.url, target, notes), env);
    await until(() => existsSync(notes) && readFileSync(notes, 'utf8').includes('"part"'));
    child.kill('SIGINT');
    const { code } = await finished;
    assert.equal(code, 1);
    assert.match(stderr(), /^pitwall: interrupted; the same command goes on from here$/m);
    for (const service of [source, target])
      assert.doesNotMatch(await must(service, 'GET', '/admin/tokens'), /pitwall copy/);
  });

  it('takes over by another run what writers and admins have done meanwhile', async () => {
    const source = await startService();
    const filled = await fill(source);
    const target = await startService();
    const args = argsOf(source.url, target);
    let isWriting = true;
    let written = 0;
    const writer = (async () => {
      for (; isWriting; written++) {
        const data = {
          timestamps: [written, -written],
          numericValues: { n: [written, 1] },
          tagValues: { Lap: ['a', null] },
        };
        await must(source, 'POST', '/topics/Cars/streams/live/parameters/data', data);
        await must(source, 'POST', '/topics/Cars/streams/live/events/data', [
          { id: 'e', timestamp: written },
        ]);
        await pause(5);
      }
    })();
    try {
      await until(() => written > 20);
      await copy(args);
      await until(() => written > 40);
      await copy(args);
    } finally {
      isWriting = false;
      await writer;
    }
    const call = (method: string, path: string, body?: unknown) => must(source, method, path, body);
    await call('POST', '/streams/delete', { streamIds: ['far'] });
    await call('POST', '/streams/delete', { streamIds: ['session'], hardDelete: true });
    await must(source, 'DELETE', '/views/braking/shares', undefined, filled.tokens['racing']);
    await call('DELETE', '/views/plain');
    await call('DELETE', '/topics/Cars/alerts/fast');
    await call('DELETE', '/topics/Cars/calculated/Twice');
    await call('PUT', '/topics/Cars', { retention: '150y' });
    const [dropped] = (
      JSON.parse(await call('GET', '/admin/tokens')) as { id: string; expires?: string }[]
    ).filter(({ expires }) => expires !== undefined);
    await call('DELETE', `/admin/tokens/${dropped!.id}`);
    await call('POST', '/topics/Cars/streams/live/close', { endType: 'Terminated' });
    assert.equal((await send(target.url, '/views/braking', { token: filled.shareToken })).status, 200);
    assert.match(await copy(args), /2 streams are gone from the source/);
    assert.equal((await send(target.url, '/views/braking', { token: filled.shareToken })).status, 401);
    await compare(source, target, filled);
  });

  it('lets no rule of the target judge what is copied, and brings what rules know', async () => {
    const source = await startService();
    const target = await startService();
    const args = argsOf(source.url, target);
    await must(source, 'PUT', '/topics/cars/alerts/hot', { expression: 'T > 100', for: '5s' });
    const second = 1_000_000_000;
    const write = (service: Service, at: number, value: number) =>
      must(service, 'POST', '/topics/cars/streams/a/parameters/data', {
        timestamps: [at * second],
        numericValues: { T: [value] },
      });
    await write(source, 1, 150);
    await copy(args);
    // The rule goes on where it was: five seconds after the first row it fires.
    await write(source, 3, 150);
    await copy(args);
    await write(target, 6, 150);
    const fired = JSON.parse(await must(target, 'POST', '/alerts?int64=string', {})) as {
      timestamp: string;
    }[];
    assert.deepEqual(
      fired.map(({ timestamp }) => timestamp),
      [String(6 * second)],
    );
    assert.equal(await must(source, 'POST', '/alerts', {}), '[]');
  });

  it('says in one line what stands in its way', async () => {
    const source = await startService();
    const target = await startService();
    const folder = temporaryFolder();
    const notes = join(folder, 'notes');
    const wrong = async (code: number, told: RegExp, ...args: string[]): Promise<void> => {
      const given = await run(['copy', ...args], env);
      assert.equal(given.code, code, given.stderr + given.stdout);
      assert.match(given.stderr, told);
      assert.doesNotMatch(given.stderr.trim(), /\n/);
    };
    const from = ['--from', source.url, '--notes', notes];
    const to = ['--to', target.url];
    await wrong(2, /from where/, ...to);
    await wrong(2, /to where/, ...from);
    await wrong(2, /'ftp:\/\/x' is not an address/, ...from, '--to', 'ftp://x');
    await wrong(1, /there is no folder \S+nowhere/, '--from', join(folder, 'nowhere'), ...to);
    assert.equal(existsSync(join(folder, 'nowhere')), false);
    await wrong(1, /is no data folder of Pitwall/, '--from', folder, ...to);
    writeFileSync(join(folder, 'b.tar'), '');
    await wrong(1, /b\.tar is no folder; .* pitwall restore/, '--from', join(folder, 'b.tar'), ...to);
    await wrong(2, /--from-token has a meaning/, '--from', folder, ...to, '--from-token', 'x');
    await wrong(1, /the source http:\S+: 401 /, ...from, ...to, '--from-token', 'wrong-token-of-nobody');
    await wrong(1, /the target http:\S+: 401 /, ...from, ...to, '--to-token', 'wrong-token-of-nobody');
    await wrong(1, /the target http:\S+ cannot be reached/, ...from, '--to', 'http://127.0.0.1:9');
    await wrong(2, /are the same service/, ...from, '--to', source.url.replace('127.0.0.1', 'localhost'));
    await must(source, 'POST', '/admin/workspaces', { name: 'other' });
    const request = { workspace: 'other', scopes: ['admin'] };
    const { token } = JSON.parse(await must(source, 'POST', '/admin/tokens', request)) as { token: string };
    await wrong(
      1,
      /the source .* needs an admin token of the workspace 'default'/,
      ...from,
      ...to,
      '--from-token',
      token,
    );
    writeFileSync(notes, '{}\n');
    await wrong(1, /notes has no notes of a copy/, ...from, ...to);
    writeFileSync(notes, '{"copy":1,"from":"http://a/","to":"http://b/"}\n');
    await wrong(1, /notes of a copy from http:\/\/a\/ to http:\/\/b\//, ...from, ...to);
  });

  it('names the stream that cannot be copied, copies the others, and fails', async () => {
    const source = await startService();
    const target = await startService();
    const data = { timestamps: [1], numericValues: { n: [1] } };
    await must(source, 'POST', '/topics/cars/streams/odd/parameters/data', {
      ...data,
      tagValues: { topic: ['x'] },
    });
    await must(source, 'POST', '/topics/cars/streams/plain/parameters/data', data);
    const { code, stdout } = await run(argsOf(source.url, target), env);
    assert.equal(code, 1);
    assert.match(stdout, /1 streams could not be copied:\ntopic cars, stream odd: .* the tag topic/);
    assert.match(await must(target, 'POST', '/streams', { streamIds: ['plain'] }), /"dataStart":1,/);
  });

  it('stops at a target that refuses, and goes on when it takes it', async () => {
    const source = await startService();
    const target = await startService();
    await fillShort(source);
    const args = argsOf(source.url, target);
    const own = { scopes: ['admin'], expires: '2150-01-01T00:00:00Z' };
    const made = await must(target, 'POST', '/admin/tokens', own);
    const { id, token } = JSON.parse(made) as { id: string; token: string };
    await must(source, 'POST', '/admin/tokens', { scopes: ['read'] });
    const refused = await run([...args, '--to-token', token], env);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /the target http:\S+: 403 this token ends at 2150.*; the same command goes on from here\n$/,
    );
    await copy(args);
    await must(target, 'DELETE', `/admin/tokens/${id}`);
    await compare(source, target, { tokens: { default: adminToken } });
  });
});

/** A stream of several pages, and some of one row. */
async function fillLong(service: Service): Promise<void> {
  for (let part = 0; part < 10; part++) {
    const timestamps = Array.from({ length: 20_000 }, (_, i) => part * 20_000 + i);
    const values = timestamps.map((time) => time / 8);
    await must(service, 'POST', '/topics/Long/streams/long/parameters/data', {
      timestamps,
      numericValues: { a: values, b: values },
    });
  }
  await fillShort(service);
}

async function fillShort(service: Service): Promise<void> {
  for (let i = 0; i < 40; i++)
    await must(service, 'POST', `/topics/Long/streams/s${i}/parameters/data`, {
      timestamps: [i],
      numericValues: { a: [i] },
    });
}

async function fillLarge(service: Service): Promise<void> {
  const write = (stream: string, what: string, body: object) =>
    must(service, 'POST', `/topics/Large/streams/${stream}/${what}/data`, body);
  const binary = Buffer.alloc(1 << 20, 'a byte').toString('base64');
  const text = 'text '.repeat(13_000);
  for (let i = 0; i < 12; i++)
    await write('bytes', 'parameters', {
      timestamps: [i],
      binaryValues: { a: [binary] },
      stringValues: { b: [text], c: [i % 2 === 0 ? text : null] },
    });
  const timestamps = Array.from({ length: 60 }, (_, i) => i);
  for (const from of [0, 2000]) {
    const names = Array.from({ length: 2000 }, (_, i) => `column ${from + i}`);
    const numericValues = Object.fromEntries(
      names.map((name, at) => [
        name,
        timestamps.map((time) => ((time + at) % 3 === 0 ? time / (at + 1) : null)),
      ]),
    );
    await write('wide', 'parameters', { timestamps, numericValues });
  }
  const events = Array.from({ length: 6000 }, (_, i) => ({
    id: `e${i % 7}`,
    timestamp: i < 5000 ? 7 : String(2n ** 63n - 1n),
    value: `${i} `.repeat(20),
    // Of a tag with more than a thousand values the listing tells some.
    tags: { n: String(i % 900) },
  }));
  await write('events', 'events', [...events, { id: 'e0', timestamp: String(-(2n ** 63n)) }]);
}
