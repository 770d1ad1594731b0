import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { type MadeChannel, type MadeOptions, makeMcap, start } from '../import/mcap/made-mcap.ts';
import { descriptorOf, rootOf } from '../import/mcap/made-protobuf.ts';
import { json } from '../import/mcap/read-mcap.ts';
import { adminToken, run, startService, temporaryFolder } from './service.ts';

describe('importing an MCAP file', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });
  const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
  const folder = temporaryFolder();

  const imported = async (
    name: string,
    channels: readonly MadeChannel[],
    { options, args = [] }: { readonly options?: MadeOptions; readonly args?: readonly string[] } = {},
  ) => {
    const path = join(folder, `${name}.mcap`);
    writeFileSync(path, await makeMcap(channels, undefined, options));
    return run(['import', path, '--topic', 'robots', '--stream', name, ...args], env);
  };
  const streams = async (id: string) => client.streams({ topic: 'robots', streamIds: [id] });
  const channel = (...messages: readonly (string | object)[]): MadeChannel => ({
    topic: '/car',
    encoding: 'json',
    messages: messages.map((one) => (typeof one === 'string' ? Buffer.from(one) : json(one))),
  });

  it('brings values and metadata, and says what it took for granted and left out', async () => {
    const picture: MadeChannel = { topic: '/picture', encoding: 'x-jpeg', messages: [json(1)] };
    const options = { metadata: [['session', { driver: 'A' }]], attachments: ['map.png'] } as const;
    const car = channel({ v: 1.5, id: 9007199254740992 }, '{"v":NaN,"id":9007199254740993}', {
      v: 2,
      on: true,
    });
    const { code, stdout, stderr } = await imported('good', [car, picture], { options });
    assert.equal(code, 0, stderr);
    assert.equal(
      stdout,
      '3 rows of good.mcap are in topic robots, stream good: 3 channels; times are the log times of messages; ' +
        '/car.id is text, for a number would not keep the digits of 9007199254740993 in message 2; ' +
        'left out, not being read: /picture (x-jpeg, 1 message), attachment map.png (text/plain, 3 bytes)\n',
    );
    const found = await client.query({
      streamIds: ['good'],
      numericParameters: [{ parameterName: '/car.v' }, { parameterName: '/car.on' }],
      stringParameters: [{ parameterName: '/car.id' }],
    });
    assert.deepEqual(found.timestamps, [start, start + 10_000_000n, start + 20_000_000n]);
    assert.deepEqual(found.numericValues, { '/car.v': [1.5, Number.NaN, 2], '/car.on': [null, null, 1] });
    assert.deepEqual(found.stringValues, { '/car.id': ['9007199254740992', '9007199254740993', null] });
    assert.deepEqual((await streams('good'))[0]!.metadata, { 'session.driver': 'A' });
  });

  it('puts rows at the time that is asked for', async () => {
    const car = channel({ v: 1, stamp: { sec: 5, nsec: 7 } }, { v: 2, stamp: { sec: 6, nsec: 7 } });
    for (const [time, first] of [
      ['stamp', 5_000_000_007n],
      ['publish', start + 3n],
    ] as const) {
      const options = { publishTimes: [start + 3n, start + 4n] };
      const { code, stdout, stderr } = await imported(time, [car], {
        options,
        args: ['--message-time', time],
      });
      assert.equal(code, 0, stderr);
      assert.match(stdout, new RegExp(`times are the ${time}`));
      const { timestamps } = await client.query({
        streamIds: [time],
        numericParameters: [{ parameterName: '/car.v' }],
      });
      assert.equal(timestamps[0], first);
    }
    const { code, stderr } = await imported('none', [car], { args: ['--message-time', 'sent'] });
    assert.deepEqual(
      [code, /--message-time is one of log, publish, stamp; 'sent' is none/.test(stderr)],
      [2, true],
    );
  });

  it('imports nothing of a file with a faulty message, unless its topic is left out', async () => {
    const other: MadeChannel = { topic: '/other', encoding: 'json', messages: [json({ w: 1 })] };
    const channels = [channel({ v: 1 }, '{"v":1e400}'), other];
    const refused = await imported('faulty', channels);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /faulty\.mcap: byte \d+: message 2 of \/car cannot be read: the number 1e400 of v is beyond the range of a 64-bit floating point number; --skip TOPIC leaves a topic out\n$/,
    );
    assert.deepEqual(await streams('faulty'), []);
    const { code, stdout, stderr } = await imported('faulty', channels, { args: ['--skip', '/car'] });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^1 rows of .*; left out, not being read: \/car \(as asked for, 2 messages\)\n$/);
  });

  it('imports nothing where no message can be read', async () => {
    const unread: MadeChannel = { topic: '/a', encoding: 'cbor', messages: [json(1)] };
    const { code, stderr } = await imported('unread', [unread]);
    assert.equal(code, 1);
    assert.match(stderr, /unread\.mcap: no message is read of \/a \(cbor, 1 message\)\n$/);
    assert.deepEqual(await streams('unread'), []);
  });

  it('keeps what the numbers of enumerations stand for', async () => {
    const root = rootOf('syntax = "proto3"; enum Mode { OFF = 0; ON = 1; } message M { Mode mode = 1; }');
    const schema = { name: 'M', encoding: 'protobuf', data: descriptorOf(root) };
    const messages = [root.lookupType('M').encode({ mode: 1 }).finish(), new Uint8Array()];
    const { code, stderr } = await imported('enums', [
      { topic: '/p', encoding: 'protobuf', schema, messages },
    ]);
    assert.equal(code, 0, stderr);
    const found = await client.query({
      streamIds: ['enums'],
      numericParameters: [{ parameterName: '/p.mode' }],
    });
    assert.deepEqual(found.numericValues, { '/p.mode': [1, 0] });
    const [parameter] = await client.parameters({ parameterIds: ['/p.mode'] });
    assert.deepEqual(parameter!.valueNames, { 0: 'OFF', 1: 'ON' });
  });
});
