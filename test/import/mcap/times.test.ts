import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CdrWriter, EncapsulationKind } from '@foxglove/cdr';
import { FileFault } from '../../../src/import/file-bytes.ts';
import { rowsOf } from '../../../src/import/logged-file.ts';
import type { MessageTime } from '../../../src/import/mcap/message-time.ts';
import { openMcap } from '../../../src/import/mcap/open-mcap.ts';
import { type MadeChannel, type MadeOptions, makeMcap, start } from './made-mcap.ts';
import { fileOf, json } from './read-mcap.ts';

const second = 1_000_000_000n;

async function timesOf(
  time: MessageTime,
  channels: readonly MadeChannel[],
  options: MadeOptions = {},
): Promise<{ times: bigint[]; start: bigint; isForward: boolean | undefined; notes: readonly string[] }> {
  const log = await openMcap(fileOf(await makeMcap(channels, undefined, options)), { time });
  const times: bigint[] = [];
  for await (const { row } of rowsOf(log)) times.push(row.time);
  return { times, start: log.start, isForward: log.isForward, notes: log.notes ?? [] };
}

const ofJson = (...messages: unknown[]): MadeChannel => ({
  topic: 'j',
  encoding: 'json',
  messages: messages.map(json),
});

describe('the time of a message', () => {
  it('is its log time unless another one is asked for', async () => {
    const options = {
      logTimes: [start, start + 5n, start + 5n],
      publishTimes: [start + 3n, start + 2n, start + 1n],
    };
    const channels = [ofJson({ v: 1 }, { v: 2 }, { v: 3 })];
    assert.deepEqual(await timesOf('log', channels, options), {
      times: options.logTimes,
      start,
      isForward: false,
      notes: ['times are the log times of messages'],
    });
    assert.deepEqual(await timesOf('publish', channels, options), {
      times: options.publishTimes,
      start: start + 1n,
      isForward: false,
      notes: ['times are the publish times of messages'],
    });
    const { isForward } = await timesOf('log', channels);
    assert.equal(isForward, true);
  });

  it('may be its stamp: of ROS', async () => {
    const data = Buffer.from(
      `std_msgs/Header header\nfloat64 v\n${'='.repeat(80)}\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n`,
    );
    const schema = { name: 'p/msg/M', encoding: 'ros2msg', data };
    const messages = [3, 1, 2].map((nanos) =>
      new CdrWriter({ kind: EncapsulationKind.CDR_LE })
        .int32(1_600_000_000)
        .uint32(nanos)
        .string('f')
        .float64(1)
        .data.slice(),
    );
    const found = await timesOf('stamp', [{ topic: 'r', encoding: 'cdr', schema, messages }]);
    const whole = 1_600_000_000n * second;
    assert.deepEqual(found.times, [whole + 3n, whole + 1n, whole + 2n]);
    assert.equal(found.start, whole + 1n);
    assert.equal(found.isForward, false);
    assert.deepEqual(found.notes, ['times are the stamps of messages']);
  });

  for (const [name, message] of Object.entries({
    'header.stamp of JSON': { header: { stamp: { sec: 1_600_000_000, nanosec: 7 } } },
    'header.stamp as ROS 1 has it': { header: { stamp: { secs: 1_600_000_000, nsecs: 7 } } },
    'a timestamp of Foxglove': { timestamp: { sec: 1_600_000_000, nsec: 7 } },
    'a timestamp of protobuf': { timestamp: { seconds: 1_600_000_000, nanos: 7 } },
    'a text in ISO 8601': { timestamp: '2020-09-13T14:26:40.000000007+02:00' },
    'the stamp of the message before another': {
      stamp: { sec: 1_600_000_000, nsec: 7 },
      timestamp: { sec: 5, nsec: 1 },
    },
  })) {
    it(`may be its stamp: ${name}`, async () => {
      const { times } = await timesOf('stamp', [ofJson({ v: 1, ...message })]);
      assert.deepEqual(times, [1_600_000_000n * second + 7n]);
    });
  }

  it('is taken for UTC where its text names no zone, which is told', async () => {
    const found = await timesOf('stamp', [
      ofJson({ timestamp: '2020-09-13T12:26:40Z' }, { timestamp: '2020-09-13T12:26:41' }),
    ]);
    assert.deepEqual(found.times[1], 1_600_000_001n * second);
    assert.deepEqual(found.notes, [
      'times are the stamps of messages',
      "stamps of j without a zone, taken for UTC, the first '2020-09-13T12:26:41'",
    ]);
  });

  it('is the log time where only others of the file have stamps, and the file says of which topics', async () => {
    const plain: MadeChannel = { topic: 'plain', encoding: 'json', messages: [json({ v: 1 })] };
    const found = await timesOf('stamp', [ofJson({ stamp: { sec: 5, nsec: 1 } }), plain]);
    assert.deepEqual(found.times, [5n * second + 1n, start]);
    assert.deepEqual(found.notes, [
      'times are the stamps of messages, but the log times of plain, which have none',
    ]);
    await assert.rejects(timesOf('stamp', [plain]), /^FileFault: no message has a stamp/);
  });

  it('that is no time is refused with topic and message', async () => {
    const refused = async (why: RegExp, ...messages: unknown[]) =>
      assert.rejects(
        timesOf('stamp', [ofJson(...messages)]),
        (error) => error instanceof FileFault && why.test(error.message),
      );
    const good = { stamp: { sec: 5, nsec: 1 } };
    await refused(/message 2 of j cannot be read: its stamp is 0, which stands for none/, good, {
      stamp: { sec: 0, nsec: 0 },
    });
    await refused(/message 2 of j cannot be read: it has no stamp, as others have/, good, { v: 1 });
    await refused(
      /message 2 of j cannot be read: it has a stamp, and those before it have none/,
      { v: 1 },
      good,
    );
    await refused(/message 1 of j cannot be read: its stamp is 1.5 s and 0 ns, which is no time/, {
      stamp: { sec: 1.5 },
    });
    await refused(/message 1 of j cannot be read: its timestamp, 'now', is no time in ISO 8601/, {
      timestamp: 'now',
    });
    await refused(/message 1 of j cannot be read: its time, 9{11}0{9} ns, is too far away/, {
      stamp: { sec: 99_999_999_999 },
    });
    await assert.rejects(
      timesOf('publish', [ofJson({ v: 1 })]),
      /message 1 of j cannot be read: its publish time is 0/,
    );
  });
});

describe('an MCAP file', () => {
  const made = (options: MadeOptions) => makeMcap([ofJson({ v: 1 }, { v: 2 })], undefined, options);

  it('has its metadata, and names attachments', async () => {
    const metadata = [
      ['session', { driver: 'A. Driver', venue: 'Monza' }],
      ['', { bare: '1' }],
      ['session', { driver: 'A. Driver', venue: 'Spa' }],
      ['long', { text: 'x'.repeat(70_000), ['k'.repeat(600)]: '1', 'a\tb': '2' }],
      // As writers that append to a file say it again.
      ['session', { driver: 'A. Driver', venue: 'Spa' }],
    ] as const;
    const log = await openMcap(fileOf(await made({ metadata, attachments: ['map.png'] })));
    assert.deepEqual(log.metadata, {
      'session.driver': 'A. Driver',
      'session.venue': 'Monza',
      bare: '1',
      'session.venue (2)': 'Spa',
      'long.a b': '2',
    });
    assert.deepEqual(log.notes, [
      'times are the log times of messages',
      'metadata under other names than in the file: session.venue (2), long.a b',
    ]);
    assert.deepEqual(log.leftOut, [
      'metadata long.text (70000 bytes, 65536 are kept at most)',
      `metadata long.${'k'.repeat(95)}… (a name of 605 bytes, 512 are kept at most)`,
      'attachment map.png (text/plain, 3 bytes)',
    ]);
  });

  it('has names without control characters and spaces round them, which is told', async () => {
    const odd = { topic: '/a\tb', encoding: 'json', messages: [json({ 'x\ny': 1, z: { ' w': 2, v: 3 } })] };
    const fine = { topic: '/fine', encoding: 'json', messages: [json({ x: { ' y ': 1, z: 2 } })] };
    const { tables, notes } = await openMcap(fileOf(await makeMcap([odd, fine])));
    const names = tables.flatMap(({ channels }) => channels.map(({ name }) => name));
    assert.deepEqual(names, ['/a b.x y', '/a b.z.w', '/a b.z.v', '/fine.x.y', '/fine.x.z']);
    assert.deepEqual(notes?.slice(1), [
      'names without their control characters and the spaces round them: /a b.x y, /a b.z.w, /a b.z.v',
      'names without their control characters and the spaces round them: /fine.x.y',
    ]);
  });

  it('with damaged metadata is refused', async () => {
    const bytes = Buffer.from(await made({ metadata: [['session', { driver: 'Anna' }]] }));
    bytes[bytes.indexOf('Anna')]! ^= 1;
    await assert.rejects(openMcap(fileOf(bytes)), /the checksum of the data is another one/);
  });

  for (const useChunks of [true, false]) {
    it(`needs no summary and no indexes: chunks ${useChunks}`, async () => {
      const log = await openMcap(fileOf(await made({ useChunks, useSummary: false })));
      assert.equal(log.tables[0]!.rows, 2);
    });
  }

  it('without messages, or without any that can be read, is refused', async () => {
    await assert.rejects(
      openMcap(fileOf(await makeMcap([ofJson()]))),
      /^FileFault: the file has no messages/,
    );
    const unread: MadeChannel[] = [
      { topic: 'a', encoding: 'x-jpeg', messages: [json(1)] },
      { topic: 'b', encoding: 'protobuf', messages: [json(1)] },
      { topic: 'c', encoding: '', messages: [json(1)] },
    ];
    await assert.rejects(
      openMcap(fileOf(await makeMcap(unread))),
      /^FileFault: no message is read of a \(x-jpeg, 1 message\), b \(protobuf, 1 message\), c \(of no known encoding, 1 message\)$/,
    );
  });

  it('may have topics left out, which are named', async () => {
    const other: MadeChannel = { topic: '/bad', encoding: 'json', messages: [Buffer.from('{')] };
    const bytes = await makeMcap([ofJson({ v: 1 }), other]);
    const log = await openMcap(fileOf(bytes), { skip: ['/bad'] });
    assert.deepEqual([log.leftOut, log.faults], [['/bad (as asked for, 1 message)'], []]);
    await assert.rejects(
      openMcap(fileOf(bytes), { skip: ['/none'] }),
      /it has no topic \/none that could be left out/,
    );
  });
});
