import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { logDate } from '../../../src/import/can/log-date.ts';
import { openCan } from '../../../src/import/can/open-can.ts';
import { FileFault } from '../../../src/import/file-bytes.ts';
import { kindOfContent } from '../../../src/import/file-kinds.ts';
import { dbcOf, fileOf, rowsOfLog, runPython, vehicle } from './made-can.ts';

const dbc = dbcOf(vehicle);
const open = (content: string | Uint8Array) => openCan(fileOf(content), dbc);
const refused = (content: string | Uint8Array, message: RegExp) =>
  assert.rejects(open(content), (error) => error instanceof FileFault && message.test(error.message));

const start = BigInt(Date.UTC(2014, 3, 16, 9, 21, 13, 159)) * 1_000_000n;

const asc = (...lines: readonly string[]) =>
  `${['date Wed Apr 16 09:21:13.159 am 2014', 'base hex  timestamps absolute', 'internal events logged', ...lines].join('\r\n')}\r\n`;

describe('a log of Vector as text', () => {
  it('gives the signals of its frames, and counts what else there is', async () => {
    const log = await open(
      asc(
        '// version 9.0.0',
        'Begin Triggerblock Wed Apr 16 09:21:13.159 am 2014',
        '   0.000000 Start of measurement',
        '   0.010000 1  64              Rx   d 8 04 00 80 02 00 00 00 00  Length = 228000 BitCount = 118 ID = 100',
        '   0.010000123 1  18FEF1FEx    Tx   d 2 00 07',
        '   0.020000 CANFD   2 Rx        200  Name_of_it                  1 0 f 64' +
          ' 2A'.repeat(64) +
          '  0 0 3000',
        '   0.030000 CANFD   1 Tx        64   0 0 8  8 08 00 00 00 00 00 00 00 0 0',
        '   0.040000 1  64              Rx   r 4',
        '   0.040000 1  ErrorFrame',
        '   0.040000 1  64              TxRq d 1 00',
        '   0.050000 1  Statistic: D 0 R 0 XD 0 XR 0 E 0 O 0 B 0.00%',
        '   0.050000 CAN 1 Status:chip status error active',
        '   0.060000 1  7               Rx   d 0',
        'End TriggerBlock',
      ),
    );
    assert.equal(log.start, start);
    assert.deepEqual(await rowsOfLog(log), [
      [10, 'Engine', 1, -168, 'Second', 0],
      [10.000123, 'Mixed', 0, 7, null, null],
      [20, 'Long', 42],
      [30, 'Engine', 2, -40, 'Neutral', 0],
    ]);
    assert.deepEqual(log.leftOut, [
      '1 frames of 1 ids that no DBC has: 0x7',
      '1 remote frames',
      '1 error frames',
      '1 requests to transmit',
      '2 other events',
    ]);
    assert.deepEqual(log.notes, [
      'the date of the log is a local time, taken for UTC',
      'ids and bytes are hexadecimal',
      'times count from the start of the log',
      'frames with fewer bytes than the DBC says, whose missing signals have no value: 1 of Mixed',
    ]);
  });

  it('may be decimal, with times from event to event, and have no date', async () => {
    const log = await open(
      [
        'base dec timestamps relative',
        '0.5 1 100 Rx d 8 255 0 0 0 0 0 0 0',
        '0.25 1 Statistic: D 1',
        '0.25 1 100 Rx d 1 16',
      ].join('\n'),
    );
    assert.equal(log.isStartKnown, false);
    assert.deepEqual(
      (await rowsOfLog(log)).map(([time, , speed]) => [time, speed]),
      [
        [500, 63.75],
        [1000, null],
      ],
    );
    assert.ok(log.notes!.includes('the file does not say when it starts (--start TIME does)'));
  });

  it('may have several blocks, which go on or begin anew', async () => {
    const frame = (time: string) => `${time} 1 64 Rx d 2 04 00`;
    const log = await open(
      asc(
        'Begin Triggerblock Wed Apr 16 09:21:13.159 am 2014',
        frame('0.1'),
        'End TriggerBlock',
        'Begin Triggerblock Wed Apr 16 09:21:14.159 am 2014',
        frame('1.1'),
        'End TriggerBlock',
        'Begin Triggerblock Wed Apr 16 09:21:23.159 am 2014',
        frame('0.2'),
        'End TriggerBlock',
      ),
    );
    assert.deepEqual(
      (await rowsOfLog(log)).map(([time]) => time),
      [100, 1100, 10_200],
    );
  });

  it('has dates with months in English and German, and clocks of twelve and twenty-four hours', () => {
    const utc = (...parts: Parameters<typeof Date.UTC>) => BigInt(Date.UTC(...parts)) * 1_000_000n;
    assert.equal(logDate('Wed Apr 16 09:21:13.159 am 2014'), utc(2014, 3, 16, 9, 21, 13, 159));
    assert.equal(logDate('Wed Dec 31 12:00:00 AM 2014'), utc(2014, 11, 31, 0, 0, 0));
    assert.equal(logDate('Wed Dec 31 12:00:01 pm 2014'), utc(2014, 11, 31, 12, 0, 1));
    assert.equal(logDate('Mit M\u00e4r 5 17:03:01.5 2014'), utc(2014, 2, 5, 17, 3, 1, 500));
    assert.equal(logDate('Die Okt 07 17:03:01 2014'), utc(2014, 9, 7, 17, 3, 1));
    assert.equal(logDate('Don Dez 4 23:59:59 2014'), utc(2014, 11, 4, 23, 59, 59));
    for (const wrong of [
      '',
      'Wed Foo 16 09:21:13 2014',
      'Wed Feb 30 09:21:13 2014',
      'Wed Apr 16 13:21:13 pm 2014',
      'Wed Apr 16 25:00:00 2014',
    ])
      assert.equal(logDate(wrong), undefined, wrong);
  });

  it('is refused with the line that is wrong, and where no frame can be decoded', async () => {
    await refused(
      asc('0.1 1 64 Rx d 8 04 00 80'),
      /^line 4: the frame has 8 bytes, and 3 of them stand here$/,
    );
    await refused(asc('0.1 1 64 Rx d 8 04 00 80 02 00 00 00 0G'), /^line 4: the frame has 8 bytes, and 7/);
    await refused(asc('0.1 1 64 Rx d'), /^line 4: the frame has no length of its data/);
    await refused(
      asc().replace('Apr', 'Foo'),
      /^line 1: 'Wed Foo 16 09:21:13.159 am 2014' is no date that is known/,
    );
    await refused(
      asc('0.1 1 7 Rx d 0'),
      /nothing in the log can be decoded by the DBC: 1 frames of 1 ids that no DBC has: 0x7/,
    );
    await refused(asc(), /nothing in the log can be decoded by the DBC: there are no frames/);
  });
});

describe('a log of candump', () => {
  it('is read as it logs, with frames of CAN FD, remote and error frames', async () => {
    const log = await open(
      [
        '(1709528767.123456) can0 064#0400800200000000',
        '(1709528767.123456789) vcan1 18FEF1FE#0007 R',
        `(1709528767.223456) can0 200##1${'2A'.repeat(64)}`,
        '(1709528767.223456) can0 123#R8',
        '(1709528767.223456) can0 20000080#0000000000000000',
        '(1709528767.323456) can0 064#',
        '',
      ].join('\n'),
    );
    assert.equal(log.start, 1_709_528_767_123_456_000n);
    assert.deepEqual(await rowsOfLog(log), [
      [0, 'Engine', 1, -168, 'Second', 0],
      [0.000789, 'Mixed', 0, 7, null, null],
      [100, 'Long', 42],
      [200, 'Engine', null, null, null, null],
    ]);
    assert.deepEqual(log.leftOut, ['1 remote frames', '1 error frames']);
  });

  it('is read as it shows frames, with each of its forms of time', async () => {
    const shown = (times: readonly string[]) =>
      times.map((time) => ` (${time})  can0  064   [8]  04 00 80 02 00 00 00 00   '........'\n`).join('');
    const times = async (given: readonly string[]) => {
      const log = await open(shown(given));
      return [log.start, log.isStartKnown, (await rowsOfLog(log)).map(([time]) => time), log.notes?.[0]];
    };
    const epoch = 1_436_509_052_249_713_000n;
    for (const [given, ...wanted] of [
      [['1436509052.249713', '1436509052.449713'], epoch, true, [0, 200], 'times are seconds since 1970'],
      [
        ['2015-07-10 06:17:32.249713', '2015-07-10 06:17:32.449713'],
        ...[epoch, true, [0, 200], 'the dates of the log are of a local clock, taken for UTC'],
      ],
      [
        ['000.000000', '000.200000', '000.300000'],
        ...[0n, false, [0, 200, 300], 'times count from the first frame'],
      ],
      [
        ['000.000000', '000.200000', '000.100000'],
        ...[0n, false, [0, 200, 300], 'each time counts from the frame before it'],
      ],
      [
        ['000.000000', '000.100000', '000.100000', '000.100000'],
        ...[0n, false, [0, 100, 200, 300], 'each time counts from the frame before it'],
      ],
      [
        ['000.000000', '000.100000', '000.100000', '000.200000', '000.300000'],
        ...[0n, false, [0, 100, 100, 200, 300], 'times count from the first frame'],
      ],
    ] as const)
      assert.deepEqual(await times(given), wanted);
    // Frames of two buses may come a little late.
    const late = Array.from({ length: 60 }, (_, i) => (i === 30 ? '000.389980' : `000.${i * 10 + 100}000`));
    const [, , read] = await times(late);
    assert.deepEqual((read as number[]).slice(29, 32), [390, 389.98, 410]);
    const all = await open(
      ' (0.0)  can0  RX - -  064   [2]  04 00\n (0.1)  can0  123   [0]  remote request\n (0.2)  can0  200  [12]  00 01 02 03 04 05 06 07 08 09 0A 0B\n',
    );
    assert.deepEqual(
      all.tables.map(({ name }) => name),
      ['Engine', 'Long'],
    );
    assert.deepEqual(all.leftOut, ['1 remote frames']);
  });

  it('is refused with the line that is wrong, and without times', async () => {
    await refused('(1.0) can0 064#00\n(1.1) can0 064#0\n', /^line 2: '064#0' is no frame of candump/);
    await refused('(1.0) can0 064#00\nfoo\n', /^line 2: 'foo' is no line of candump/);
    for (const day of ['2023-02-30', '2023-13-01'])
      for (const before of ['', '(2023-02-01 10:00:00.0) can0 064#00\n'])
        await refused(`${before}(${day} 10:00:00.0) can0 064#00\n`, /^line \d: '2023-.* is no time/);
    await refused(
      ' (1.0)  can0  064   [8]  04 00\n',
      /^line 1: the frame has 8 bytes, and 2 of them stand here/,
    );
    await refused(
      '  can0  064   [2]  04 00\n',
      /candump wrote this without times; candump -L or -ta writes them/,
    );
  });
});

/** An object of a BLF file, with a head of version 1. */
function object(type: number, time: bigint, body: Uint8Array, flags = 2): Buffer {
  const bytes = Buffer.alloc(32 + body.length);
  bytes.write('LOBJ');
  bytes.writeUInt16LE(32, 4);
  bytes.writeUInt16LE(1, 6);
  bytes.writeUInt32LE(bytes.length, 8);
  bytes.writeUInt32LE(type, 12);
  bytes.writeUInt32LE(flags, 16);
  bytes.writeBigUInt64LE(time, 24);
  bytes.set(body, 32);
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

function classic(channel: number, id: number, data: readonly number[], flags = 0): Buffer {
  const body = Buffer.alloc(16);
  body.writeUInt16LE(channel, 0);
  body.set([flags, data.length], 2);
  body.writeUInt32LE(id, 4);
  body.set(data, 8);
  return body;
}

function container(bytes: Uint8Array, isPacked: boolean): Buffer {
  const packed = isPacked ? deflateSync(bytes) : bytes;
  const head = Buffer.alloc(32);
  head.write('LOBJ');
  head.writeUInt16LE(16, 4);
  head.writeUInt16LE(1, 6);
  head.writeUInt32LE(32 + packed.length, 8);
  head.writeUInt32LE(10, 12);
  head.writeUInt16LE(isPacked ? 2 : 0, 16);
  head.writeUInt32LE(bytes.length, 24);
  return Buffer.concat([head, packed, Buffer.alloc((4 - (packed.length % 4)) % 4)]);
}

function blf(...parts: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(144);
  head.write('LOGG');
  head.writeUInt32LE(144, 4);
  head.writeBigUInt64LE(BigInt(144 + Buffer.concat(parts).length), 16);
  for (const [i, one] of [2014, 4, 3, 16, 9, 21, 13, 159].entries()) head.writeUInt16LE(one, 40 + 2 * i);
  return Buffer.concat([head, ...parts]);
}

describe('a log of Vector as bytes', () => {
  const fd = Buffer.alloc(84);
  fd.writeUInt16LE(1, 0);
  fd[3] = 15;
  fd.writeUInt32LE(0x200, 4);
  fd[14] = 64;
  fd.fill(0x2a, 20);
  const fd64 = Buffer.alloc(40 + 64);
  fd64.set([3, 15, 64], 0);
  fd64.writeUInt32LE(0x200, 4);
  fd64.writeUInt32LE(0x1000, 12);
  fd64.fill(0x2b, 40);
  const objects = [
    object(1, 1_000_000n, classic(1, 100, [4, 0, 0x80, 2, 0, 0, 0, 0])),
    object(86, 1_000_001n, classic(1, 0x98fef1fe, [0, 7])),
    object(1, 1n, classic(1, 100, [8, 0, 0, 0, 0, 0, 0, 0]), 1),
    object(100, 2_000_000n, fd),
    object(101, 3_000_000n, fd64),
    object(1, 4_000_000n, classic(1, 100, [], 0x80)),
    object(73, 4_000_000n, Buffer.alloc(40)),
    object(96, 4_000_000n, Buffer.alloc(41)),
  ];
  const expected = [
    [1, 'Engine', 1, -168, 'Second', 0],
    [1.000001, 'Mixed', 0, 7, null, null],
    [0.01, 'Engine', 2, -40, 'Neutral', 0],
    [2, 'CAN1.Long', 42],
    [3, 'CAN3.Long', 43],
  ];

  it('gives the signals of its frames, however they are kept', async () => {
    const all = Buffer.concat(objects);
    const kept = {
      plain: blf(...objects),
      packed: blf(container(all, true)),
      // Objects go on in the next container.
      cut: blf(
        ...[0, 10, 50, 90, 200, 333].map((from, i, cuts) =>
          container(all.subarray(from, cuts[i + 1]), i % 2 === 0),
        ),
      ),
    };
    for (const [name, bytes] of Object.entries(kept)) {
      const log = await open(bytes);
      assert.equal(log.start, start);
      assert.deepEqual(await rowsOfLog(log), expected, name);
      assert.deepEqual(log.leftOut, ['1 remote frames', '1 error frames', '1 objects of type 96'], name);
    }
  });

  it('is refused where it was cut off or is damaged', async () => {
    const whole = blf(container(Buffer.concat(objects), true));
    await refused(
      whole.subarray(0, whole.length - 5),
      /^byte 16: the file has \d+ bytes of the \d+ that it says: it was cut off/,
    );
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 180, 190);
    await refused(damaged, /^byte 144: a container cannot be inflated/);
    await refused(
      blf(container(Buffer.concat(objects).subarray(0, 60), false)),
      /the file ends within an object/,
    );
    await refused(blf(Buffer.alloc(40)), /^byte \d+: an object was expected here/);
  });
});

describe('a log of a CAN bus', () => {
  it('is refused without a DBC, with the advice', async () => {
    for (const content of [asc('0.1 1 64 Rx d 1 00'), '(1.0) can0 064#00\n'])
      await assert.rejects(
        openCan(fileOf(content), undefined),
        /these are raw frames of a CAN bus; a DBC file says what they mean: --dbc FILE/,
      );
  });

  it('is told from tables by its content', async () => {
    const kinds: [string, string, string][] = [
      ['a.asc', asc('0.1 1 64 Rx d 1 00'), 'can'],
      ['a.asc', '0.1 1 64 Rx d 1 00\n', 'can'],
      ['a.asc', 'time\tSpeed\n0.1\t5\n', 'text'],
      ['a.txt', '(1709528767.123456) can0 064#00\n', 'can'],
      ['a.log', ' (000.000000)  can0  064   [8]  04 00 80 02 00 00 00 00\n', 'can'],
      ['a.LOG', '  can0  064   [2]  04 00\n', 'can'],
      ['a.log', 'time;value\n1;2\n', 'text'],
      ['a.csv', '(1.0) can0 064#00\n', 'text'],
      ['a.blf', '', 'can'],
    ];
    for (const [name, content, kind] of kinds)
      assert.equal(await kindOfContent(name, fileOf(content)), kind, content);
  });

  it('is read as python-can writes it, in all three forms', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'can-'));
    try {
      const program = `
import can, time
messages = [
  can.Message(timestamp=1709528767.123 + i / 8, arbitration_id=100, is_extended_id=False, data=bytes([4 * i, 0, 0x80, 2, 0, 0, 0, 0]), channel=0)
  for i in range(3)
] + [
  can.Message(timestamp=1709528768.123, arbitration_id=0x18FEF1FE, is_extended_id=True, data=bytes([0, 7, 0, 0, 0, 0, 0, 0]), channel=1),
  can.Message(timestamp=1709528768.248, arbitration_id=0x123, is_extended_id=False, is_remote_frame=True, dlc=4, channel=0),
  can.Message(timestamp=1709528768.248, is_error_frame=True, channel=0),
  can.Message(timestamp=1709528768.373, arbitration_id=0x200, is_extended_id=False, is_fd=True, data=bytes([42] * 64), channel=1),
]
for ending in ('asc', 'blf', 'log'):
    writer = can.Logger(${JSON.stringify(`${folder}/x.`)} + ending)
    for message in messages: writer(message)
    writer.stop()
print('done')
`;
      if ((await runPython('can', program)) === undefined) {
        t.skip("python3-can is not installed ('apt-get install python3-can')");
        return;
      }
      for (const ending of ['asc', 'blf', 'log']) {
        const log = await open(readFileSync(join(folder, `x.${ending}`)));
        const rows = (await rowsOfLog(log, 1_709_528_767_123_000_000n)).map(([time, ...row]) => [
          Math.round(time as number),
          ...row,
        ]);
        assert.deepEqual(
          rows,
          [
            [0, 'Engine', 0, -168, 'Second', 0],
            [125, 'Engine', 1, -168, 'Second', 0],
            [250, 'Engine', 2, -168, 'Second', 0],
            [1000, 'Mixed', 0, 7, null, null],
            [1250, 'Long', 42],
          ],
          ending,
        );
        assert.deepEqual(log.leftOut, ['1 remote frames', '1 error frames'], ending);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
