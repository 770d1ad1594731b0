import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFrames } from '../../../src/import/can/decode-frames.ts';
import { FileFault } from '../../../src/import/file-bytes.ts';
import { dbcOf, framesOf, runPython, vehicle } from './made-can.ts';

/** Values of the signals of one message, in frames of these bytes. */
async function decode(dbc: string, frames: readonly (readonly number[])[], id = 100): Promise<unknown[][]> {
  const given = frames.map((bytes) => ({ id, isExtended: id > 0x7ff, data: Uint8Array.from(bytes) }));
  const { readMixed } = await decodeFrames(dbcOf(dbc), () => framesOf(given));
  const rows: unknown[][] = [];
  for await (const { row } of readMixed()) rows.push([...row.values]);
  return rows;
}

const message = (...signals: readonly string[]) =>
  `BO_ 100 M: 8 E\n${signals.map((signal, i) => ` SG_ S${i} : ${signal} [0|0] "" E`).join('\n')}\n`;

describe('signals of a DBC', () => {
  it('are taken out of the bits of a frame in both orders, signed, scaled, and as floating-point numbers', async () => {
    const bytes = [0x12, 0x34, 0xd6, 0x21, 0, 0, 0x80, 0xbf];
    const dbc = `${message('0|16@1+ (0.25,0)', '7|16@0+ (1,0)', '23|8@0- (1,-40)', '20|8@1+ (1,0)', '3|12@0- (1,0)', '32|32@1- (1,0)', '0|64@1+ (1,0)')}SIG_VALTYPE_ 100 S5 : 1;\n`;
    assert.deepEqual(await decode(dbc, [bytes]), [
      [0x3412 * 0.25, 0x1234, -42 - 40, 0x1d, 0x234, -1, String(0xbf80000021d63412n)],
    ]);
  });

  it('are there only where what multiplexes them says so, in several levels, and where the frame is long enough', async () => {
    const frames = [
      [0, 5, 0, 0, 0x80, 0x3f, 0, 0],
      [1, 4, 0, 0, 0x80, 0x3f, 0, 0],
      [1, 7, 0, 0, 0x80, 0x3f, 0, 0],
      [1, 6, 0, 0, 0x80, 0x3f, 0, 0],
      [1, 4, 0],
    ];
    assert.deepEqual(await decode(vehicle, frames, 0x18fef1fe), [
      [0, 5, null, null],
      [1, null, 4, 1],
      [1, null, 7, 1],
      [1, null, 6, null],
      [1, null, 4, null],
    ]);
  });

  it('have long names, units, and names of values: text where these are an enumeration', async () => {
    const given = [
      [0, 0, 0, 0x12],
      [0, 0, 0, 0xf9],
    ].map((bytes) => ({ id: 100, data: Uint8Array.from([...bytes, 0, 0, 0, 0]) }));
    const { tables, readMixed } = await decodeFrames(dbcOf(vehicle), () => framesOf(given));
    assert.deepEqual(tables, [
      {
        name: 'Engine',
        rows: 2,
        channels: [
          { name: 'Engine.EngineSpeedOfTheVeryLongNameThatIsHere', unit: 'rpm', isText: false },
          { name: 'Engine.Temp', unit: 'degC', isText: false },
          { name: 'Engine.Gear', unit: '', isText: true },
          { name: 'Engine.Count', unit: '', isText: false, valueNames: { 15: 'n/a' } },
        ],
      },
    ]);
    const rows: unknown[] = [];
    for await (const { row } of readMixed()) rows.push(row.values);
    assert.deepEqual(rows, [
      [0, -40, 'Second', 1],
      [0, -40, '9', 15],
    ]);
  });

  it('are those of the first of several files, and each bus has its own where a message comes on several', async () => {
    const other = vehicle.replace('(0.25,0)', '(2,0)').replace('BO_ 512 Long', 'BO_ 513 Other');
    const frames = [
      { id: 100 },
      { id: 100, bus: 'CAN2' },
      { id: 513 },
      { id: 7 },
      { id: 100, isExtended: true },
      { id: 7 },
    ];
    const { tables, notes, leftOut } = await decodeFrames(dbcOf(vehicle, other), () => framesOf(frames));
    assert.deepEqual(
      tables.map(({ name, channels }) => [name, channels[0]!.name]),
      [
        ['CAN1.Engine', 'CAN1.Engine.EngineSpeedOfTheVeryLongNameThatIsHere'],
        ['Other', 'Other.Last'],
        ['CAN2.Engine', 'CAN2.Engine.EngineSpeedOfTheVeryLongNameThatIsHere'],
      ],
    );
    assert.deepEqual(leftOut, ['3 frames of 2 ids that no DBC has: 0x7, 0x64x']);
    assert.deepEqual(notes, [
      '1 messages of 2.dbc are described in another DBC file before it, which counts, such as Engine (0x64)',
      '1 messages come on several buses, whose names stand before theirs: Engine on CAN1 and CAN2',
      'frames with fewer bytes than the DBC says, whose missing signals have no value: 1 of Other',
    ]);
  });

  it('take the last of two names that a DBC has for one number, and it is told', async () => {
    const names =
      'VAL_ 100 S0 0 "Off" 1 "On" 1 "Running" 1 "On" 0 "Off" ;\nVAL_ 100 S1 9 "n/a" ;\nVAL_ 100 S1 9 "none" ;\n';
    const dbc = `${message('0|8@1+ (1,0)', '8|8@1+ (1,0)')}${names}`;
    const { notes } = await decodeFrames(dbcOf(dbc), () => framesOf([{ id: 100 }]));
    assert.deepEqual(await decode(dbc, [[1, 9, 0, 0, 0, 0, 0, 0]]), [['On', 9]]);
    assert.deepEqual(notes, [
      "numbers with several names in 1.dbc, of which the last counts: 1 of M.S0 ('On'), 9 of M.S1 ('none')",
    ]);
  });

  it('are what cantools makes of them', async (t) => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const signals = Array.from({ length: 400 }, () => {
      const length = 1 + random(52);
      const isIntel = random(2) === 0;
      const sign = random(2) === 0 ? '+' : '-';
      // Motorola: the first bit is the most significant one, so it has all others behind it.
      const first = random(65 - length);
      const start = isIntel ? first : (first >> 3) * 8 + 7 - (first & 7);
      const factor = [1, 0.25, 0.1, 2, 1e-5][random(5)]!;
      return `${start}|${length}@${isIntel ? 1 : 0}${sign} (${factor},${random(3) * -20})`;
    });
    const frames = Array.from({ length: 20 }, () => Array.from({ length: 8 }, () => random(256)));
    const dbcs = signals.map((signal) => message(signal));
    const program = `
import cantools, json
out = []
for text in json.loads(${JSON.stringify(JSON.stringify(dbcs))}):
    db = cantools.database.load_string(text, 'dbc')
    out.append([db.decode_message(100, bytes(f), decode_choices=False)['S0'] for f in ${JSON.stringify(frames)}])
print(json.dumps(out))
`;
    const said = await runPython('cantools', program);
    if (said === undefined) {
      t.skip("python3-cantools is not installed ('apt-get install python3-cantools')");
      return;
    }
    const ours = await Promise.all(
      dbcs.map(async (dbc) => (await decode(dbc, frames)).map(([value]) => value)),
    );
    assert.deepEqual(ours, JSON.parse(said));
  });
});

describe('a faulty DBC', () => {
  it('is refused with its name and line', () => {
    const refused = (text: string, message: RegExp) =>
      assert.throws(
        () => dbcOf(text),
        (error) => error instanceof FileFault && message.test(error.message),
      );
    refused('', /^1\.dbc, line 1: there is no message \(BO_\) in this file/);
    refused(
      'BO_ 1 A: 8 E\n SG_ S : 0|8@2 (1,0) [0|0] "" E\n',
      /^1\.dbc, line 2: signal S has neither \+ nor -/,
    );
    refused('BO_ 1 A: 8 E\n SG_ S : 0|65@1+ (1,0) [0|0] "" E\n', /^1\.dbc, line 2: signal S has 65 bits/);
    refused('BO_ 1 A: 8 E\n SG_ S : 0|x@1+', /^1\.dbc, line 2: a number was expected, and there is 'x'/);
    refused(
      'BO_ 1 A: 8 E\nBO_ 1 B: 8 E\n',
      /^1\.dbc, line 2: a message with the id 0x1 was described before/,
    );
    refused(
      'BO_ 1 A: 8 E\n SG_ S m1 : 0|8@1+ (1,0) [0|0] "" E\n',
      /signal S of A is multiplexed, and 0 signals have an M/,
    );
    refused(
      `${message('0|8@1+ (1,0)')}SIG_VALTYPE_ 100 S0 : 1;`,
      /line 3: signal S0 has 8 bits for a floating-point number/,
    );
  });
});
