import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openText } from '../../../src/import/text/open-text.ts';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
import { fileOf } from './read-text.ts';

const layoutOf = (lines: readonly string[], settings: TextSettings = {}) =>
  openText(fileOf(Buffer.from(`${lines.join('\n')}\n`)), settings);

describe('times of whole seconds with their parts in another column', () => {
  const tables = [
    ['clock', ['Time,Millisecond,v', '10:00:00,0,1', '10:00:00,500,2', '10:00:01,0,3']],
    [
      'clock',
      ['Date,Time,ms,v', '2021-07-01,10:00:00,0,1', '2021-07-01,10:00:00,500,2', '2021-07-01,10:00:01,0,3'],
    ],
    [
      'iso',
      ['time,nsec,v', '2021-07-01 10:00:00,0,1', '2021-07-01 10:00:00,500000,2', '2021-07-01 10:00:01,0,3'],
    ],
    ['s', ['sec,nanosec,v', '1612191099,5,1', '1612191099,500,2', '1612191100,0,3']],
    // Though the parts differ more than the seconds do.
    [
      'clock',
      [
        'Date,Time,Millis,v',
        '2021-07-01,10:00:00,0,1',
        '2021-07-01,10:00:00,250,2',
        '2021-07-01,10:00:00,500,3',
      ],
    ],
    [
      'iso',
      ['Time,ms,v', '2021-07-01 10:00:00,0,1', '2021-07-01 10:00:00,250,2', '2021-07-01 10:00:00,500,3'],
    ],
    [
      'clock',
      [
        'Date,Time,Fraction,v',
        '2021-07-01,10:00:00,0.0,1',
        '2021-07-01,10:00:00,0.25,2',
        '2021-07-01,10:00:00,.5,3',
      ],
    ],
    [
      'iso',
      [
        'Time,Hundredths,v',
        '2021-07-01 10:00:00,0,1',
        '2021-07-01 10:00:00,25,2',
        '2021-07-01 10:00:00,50,3',
      ],
    ],
    ['s', ['sec,nsec,v', '1612191099,5,1', '1612191099,500,2', '1612191099,700,3']],
  ] as const;

  it('are asked for, for the parts would be lost', async () => {
    for (const [form, lines] of tables) {
      const { timeDoubt } = await layoutOf(lines);
      assert.match(timeDoubt?.message ?? '', /are whole seconds, and \w+ may be parts of them/);
      assert.equal(timeDoubt?.proposed, form);
      assert.equal((await layoutOf(lines, { timeForm: form })).timeDoubt, undefined);
    }
  });

  it('are clear where they have parts of their own, or the column has other values', async () => {
    for (const lines of [
      ['time,ms,v', '10:00:00.5,1,1', '10:00:01.5,2,2'],
      ['time,ms,v', '10:00:00:500,1,1', '10:00:01:500,2,2'],
      ['sec,ms,v', '0.5,1,1', '1.5,2,2'],
      ['time,ms,v', '10:00:00,1500,1', '10:00:01,2,2'],
      ['time,latency_ms,v', '10:00:00,15,1', '10:00:01,2,2'],
    ])
      assert.equal((await layoutOf(lines)).timeDoubt, undefined, lines[0]);
  });
});

describe('dates of two digits each', () => {
  it('are asked for where they would be one day of several years: their year stands first', async () => {
    for (const lines of [
      ['time,v', '21-02-27 10:00:00,1', '21-02-28 10:00:00,2', '21-03-01 10:00:00,3'],
      ['Date,Time,v', '21/02/27,10:00:00,1', '21/02/28,10:00:00,2', '21/03/01,10:00:00,3'],
    ]) {
      assert.match(
        (await layoutOf(lines)).timeDoubt?.message ?? '',
        /such as 21.03.01, seem to have the year first/,
      );
      assert.equal((await layoutOf(lines, { timeForm: 'day-first' })).timeDoubt, undefined);
    }
    const days = ['time,v', '27-02-21 10:00:00,1', '28-02-21 10:00:00,2', '01-03-21 10:00:00,3'];
    assert.equal((await layoutOf(days)).timeDoubt, undefined);
  });
});

describe('clocks whose parts stand in several columns', () => {
  const tables = [
    ['Second', 's', ['Year,Month,Day,Hour,Minute,Second,v', '2021,5,8,14,3,10,1', '2021,5,8,14,3,11,2']],
    ['Hour', 'h', ['Hour,Minute,Second,Millis,v', '14,3,10,0,1', '14,3,10,250,2', '14,3,10,500,3']],
    ['ms', 'ms', ['YYYY,MM,DD,hh,mm,ss,ms,v', '2021,5,8,14,3,10,0,1', '2021,5,8,14,3,10,250,2']],
    ['Sec', 's', ['Date,Hour,Min,Sec,v', '2021-05-08,14,3,10,1', '2021-05-08,14,3,11,2']],
  ] as const;

  it('are asked for, for one of the parts is no time', async () => {
    for (const [header, form, lines] of tables) {
      const { timeDoubt } = await layoutOf(lines);
      assert.ok(timeDoubt?.message.startsWith(`the times of ${header} are parts of clocks`), lines[0]);
      assert.equal(timeDoubt?.proposed, form);
      assert.equal((await layoutOf(lines, { timeForm: form })).timeDoubt, undefined);
    }
  });

  it('are none where times go on beyond a minute, or the other column has other numbers', async () => {
    for (const lines of [
      ['Seconds,Min,v', '10,3,1', '75,4,2'],
      ['Seconds,Min,v', '10,-3,1', '11,4,2'],
      ['Time [s],Minute,v', '10,3,1', '11,4,2'],
    ])
      assert.equal((await layoutOf(lines)).timeDoubt, undefined, lines.join(' '));
  });
});

describe('a count such as millis beside dates with clocks', () => {
  const lines = [
    'Date,Time,Millis,v',
    '2021-05-08,14:03:10,93000,1',
    '2021-05-08,14:03:10,93250,2',
    '2021-05-08,14:03:11,93500,3',
  ];

  it('is asked for, for the dates would be lost', async () => {
    const { timeDoubt } = await layoutOf(lines);
    assert.match(timeDoubt?.message ?? '', /of Millis count from a start, and those of Time have a date/);
    assert.equal((await layoutOf(lines, { timeForm: 'ms' })).timeDoubt, undefined);
    const { timeDoubt: given, columns } = await layoutOf(lines, { time: 'Time' });
    assert.deepEqual(
      [given, columns.map(({ role }) => role).slice(0, 3)],
      [undefined, ['day', 'time', 'auto']],
    );
  });

  it('is the time where no date stands beside it, or its name says so', async () => {
    for (const [header, clock] of [
      ['Millis', '14:03'],
      ['Elapsed ms', '2021-05-08 14:03:10'],
    ]) {
      const { timeDoubt } = await layoutOf([`Lap start,${header},v`, `${clock},1500,1`, `${clock},2500,2`]);
      assert.equal(timeDoubt, undefined, header);
    }
  });
});
