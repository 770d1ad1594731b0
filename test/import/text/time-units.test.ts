import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openText } from '../../../src/import/text/open-text.ts';
import type { TextSettings, TimeForm } from '../../../src/import/text/text-layout.ts';
import { timeNaming } from '../../../src/import/text/time-names.ts';
import { fileOf, readText } from './read-text.ts';

const read = (lines: readonly string[], settings?: TextSettings) =>
  readText(Buffer.from(`${lines.join('\n')}\n`), settings);
const layoutOf = (lines: readonly string[], settings: TextSettings = {}) =>
  openText(fileOf(Buffer.from(`${lines.join('\n')}\n`)), settings);
const timesOf = async (lines: readonly string[], settings?: TextSettings) =>
  (await read(lines, settings)).rows.map(({ time }) => time);

describe('a time that begins anew', () => {
  it('is the time all the same, in a short file too', async () => {
    for (const name of ['t', 'T', 'time']) {
      const layout = await layoutOf([`${name},v`, '0.0,1', '0.1,2', '0.0,3', '0.1,4']);
      assert.equal(layout.columns.find(({ role }) => role === 'time')?.header, name);
    }
    const layout = await layoutOf(['n,T', '1.5,25', '2.5,24', '2.2,23.5', '9.5,24']);
    assert.equal(layout.columns[1]?.role === 'time', false);
  });
});

describe('the unit of a time', () => {
  const names: readonly (readonly [TimeForm, bigint, string])[] = [
    ['ns', 1n, 'nanoseconds|timestamp_ns|Time [ns]|ns|nanos|time_nsec'],
    ['us', 1000n, 'micros|usec|us|TimeUS|t_us|µs|μs|time_unix_usec|Time (us)|us_since_boot|time_us_64'],
    [
      'ms',
      1_000_000n,
      'ms|millis|milliseconds|time/ms|timeMs|time_boot_ms|Time (ms)|Zeit in ms|timems|uptimeMillis',
    ],
    [
      's',
      1_000_000_000n,
      'elapsed [s]|Seconds|Time since start (s)|seconds_elapsed|Zeit [s]|ElapsedTime (sec)',
    ],
    ['min', 60_000_000_000n, 'minutes|Time [min]|elapsed_minutes'],
    ['h', 3_600_000_000_000n, 'hours|Time (h)|elapsed hours'],
  ];
  for (const [form, ns, all] of names)
    for (const name of all.split('|'))
      it(`of a column '${name}' is ${form}`, async () => {
        const { layout, rows } = await read([`${name},v`, '0,1', '83,2', '166.5,3']);
        assert.equal(layout.timeDoubt, undefined);
        const half = ns === 1n ? 83n : (166n * ns + ns / 2n) / 2n;
        assert.deepEqual(
          rows.map(({ time }) => time),
          [0n, 83n * ns, ns === 1n ? 167n : 2n * half],
        );
      });

  it('may stand in a row of units', async () => {
    assert.deepEqual(await timesOf(['clock,v', 'ms,V', '0,1', '20,2'], { time: 'clock' }), [0n, 20_000_000n]);
    assert.deepEqual(await timesOf(['Time,v', 'microseconds,V', '0,1', '20,2']), [0n, 20_000n]);
  });

  it('is not read out of words that only look alike, which are no times either', async () => {
    for (const name of [
      'status',
      'torques',
      'ams',
      'rms',
      'items',
      'timer',
      'times',
      'lap time',
      'pass',
      'gas',
      'bus',
    ])
      assert.equal(timeNaming(name), 'none', name);
    const { layout } = await read(['items,rms,torques,Time (ms)', '7,1,2,0', '5,2,3,20', '6,3,4,40']);
    assert.deepEqual(
      [layout.columns.find(({ role }) => role === 'time')?.header, layout.timeForm],
      ['Time (ms)', 'ms'],
    );
  });

  it('is none of a distance that goes on, or of a temperature called t', async () => {
    const isTimed = async (lines: string[]) =>
      (await layoutOf(lines)).columns.filter(({ role }) => role === 'time').map(({ header }) => header);
    assert.deepEqual(await isTimed(['Distance [m],v', '0.1,1', '0.2,2']), []);
    assert.deepEqual(await isTimed(['T,Time,v', '20.5,0.0,1', '20.4,0.1,2', '20.3,0.2,2']), ['Time']);
  });

  it('must be said where the file has a word that is none, such as µs in a wrong encoding', async () => {
    for (const [unit, lines] of [
      ['Âµs', ['Time [Âµs],v', '0,1', '10,2']],
      ['?s', ['Time [?s],v', '0,1', '10,2']],
      ['\ufffds', ['Time,v', '[\ufffds],[V]', '0.5,1', '1.5,2']],
    ] as const) {
      const { timeDoubt } = await layoutOf(lines);
      assert.equal(
        timeDoubt?.message.split(';')[0],
        `the times of Time${lines.length === 3 ? ` [${unit}]` : ''} are in '${unit}', which is no known unit of time`,
      );
    }
    assert.equal((await layoutOf(['Time [UTC],v', '1612191099.5,1', '1612191100.5,2'])).timeDoubt, undefined);
  });

  it('must be said where the file has one that no form stands for', async () => {
    for (const [header, unit] of [
      ['Time [days]', 'days'],
      ['time_ticks', 'ticks'],
      ['Time [0.1 ms]', '0.1 ms'],
      ['Time [100ns]', '100ns'],
    ]) {
      const { timeDoubt } = await layoutOf([`${header},v`, '0.1,1', '0.2,2']);
      assert.match(timeDoubt?.message ?? '', new RegExp(`are in '${unit}', which no form`));
      assert.equal(timeDoubt?.proposed, undefined);
    }
  });
});

describe('times without a unit', () => {
  const proposals: readonly (readonly [what: string, TimeForm | undefined, times: readonly string[]])[] = [
    ['microseconds since boot, as ulog2csv writes them', 'us', ['112500000', '112504000', '112508000']],
    ['microseconds since boot, from a single row', 'us', ['112500000']],
    [
      'microseconds since boot that look like seconds since 1970',
      'us',
      ['1620000000', '1620004000', '1620008000'],
    ],
    ['whole numbers that pandas wrote as floats', 'us', ['112500000.0', '112504000.0', '112508000.0']],
    ['milliseconds since boot', 'ms', ['1000', '1100', '1200']],
    ['nanoseconds since boot, as Android counts them', 'ns', ['125000000000000', '125000010000000']],
    ['days of a spreadsheet', 'excel', ['44324.5800001', '44324.5800117', '44324.5800233']],
    ['seconds since 1904, as LabVIEW counts them', undefined, ['3695000000.5', '3695000000.6']],
    ['ticks of .NET', 'ns', ['637450000000000000', '637450000001000000']],
    ['clocks without colons', 'hhmmss', ['140310.50', '140310.60']],
    ['dates of digits', 'iso', ['20210508', '20210509']],
  ];
  for (const [what, proposed, times] of proposals)
    it(`that are hardly seconds are not taken for them: ${what}`, async () => {
      const lines = ['time,v', ...times.map((time) => `${time},1`)];
      const { timeDoubt } = await layoutOf(lines);
      assert.deepEqual([timeDoubt?.proposed, timeDoubt === undefined], [proposed, false]);
      const way = proposed ?? 'FORM';
      assert.match(timeDoubt!.message, new RegExp(`--time-format ${way} `));
      assert.equal((await layoutOf(lines, { timeForm: proposed ?? 's' })).timeDoubt, undefined);
    });

  const clear: readonly (readonly [TimeForm, times: readonly string[], first: bigint])[] = [
    ['s', ['1620828159', '1620828160'], 1_620_828_159_000_000_000n],
    ['s', ['1620828159.03', '1620828159.13'], 1_620_828_159_030_000_000n],
    ['s', ['1620828159', '1620831759', '1620835362'], 1_620_828_159_000_000_000n],
    ['ms', ['1620828159030', '1620828159130'], 1_620_828_159_030_000_000n],
    ['us', ['1620828159030000', '1620828159130000'], 1_620_828_159_030_000_000n],
    ['ns', ['1620828159030000001', '1620828159130000000'], 1_620_828_159_030_000_001n],
    ['s', ['0', '10', '20'], 0n],
    ['s', ['0', '3600', '7200'], 0n],
    ['s', ['5', '6', '7'], 5_000_000_000n],
    ['s', ['0.1', '0.2', '150.7'], 100_000_000n],
  ];
  for (const [form, times, first] of clear)
    it(`that are clear are taken: ${times.join(', ')} as ${form}`, async () => {
      const { layout, rows } = await read(['time,v', ...times.map((time) => `${time},1`)]);
      assert.deepEqual([layout.timeForm, layout.timeDoubt, rows[0]!.time], [form, undefined, first]);
    });

  it('and without a name that count rows are not taken for seconds', async () => {
    const lines = [',v', '0,1', '1,2', '2,3'];
    assert.match((await layoutOf(lines)).timeDoubt?.message ?? '', /count rows.*--timestamp 'Column 1'/);
    assert.equal((await layoutOf(lines, { time: 'Column 1' })).timeDoubt, undefined);
  });
});

describe('clocks without colons', () => {
  it('are known by a step over the end of a minute, by zeros in front, or by their name', async () => {
    const minutes = ['95959.8', '95959.9', '100000.0'];
    const hour = 3_600_000_000_000n;
    assert.deepEqual(await timesOf(['time,v', ...minutes.map((time) => `${time},1`)]), [
      10n * hour - 200_000_000n,
      10n * hour - 100_000_000n,
      10n * hour,
    ]);
    assert.equal((await layoutOf(['time,v', '000310.5,1', '000310.6,1'])).timeForm, 'hhmmss');
    for (const name of ['UTC', 'utc_time', 'GPS time UTC']) {
      const { timeForm, timeDoubt } = await layoutOf([`${name},v`, '140310.50,1', '140310.60,1']);
      assert.deepEqual([timeForm, timeDoubt], ['hhmmss', undefined]);
    }
  });

  it('are none where a cell has 60 minutes or seconds', async () => {
    const { timeForm, timeDoubt } = await layoutOf(['time,v', '10059.5,1', '10060.0,1', '10060.5,1']);
    assert.deepEqual([timeForm, timeDoubt], ['s', undefined]);
  });

  it('have their day beside them, in digits that can be read in one way', async () => {
    const first = 1_707_832_990_500_000_000n;
    const of = (date: string, settings?: TextSettings) =>
      timesOf(['date,time,v', `${date},140310.50,1`, `${date},140310.60,2`], settings);
    assert.equal((await of('20240213'))[0], first);
    assert.equal((await of('13022024'))[0], first);
    assert.equal((await timesOf(['date [ddmmyy],time,v', '130224,140310.50,1']))[0], first);
    assert.equal((await of('280224', { timeForm: 'day-first' }))[0], first + 15n * 86_400_000_000_000n);
    assert.equal((await of('240213', { timeForm: 'iso' }))[0], first);
    assert.equal((await of('021324', { timeForm: 'month-first' }))[0], first);
    const { timeDoubt } = await layoutOf(['date,time,v', '130224,140310.50,1', '130224,140310.60,2']);
    assert.match(timeDoubt?.message ?? '', /the days of date, such as '130224', can be read in several ways/);
  });
});

describe('several columns of times', () => {
  it('give the one in UTC before the local one', async () => {
    const rows = ['2021-07-01 12:00:00,2021-07-01 10:00:00,1', '2021-07-01 12:00:01,2021-07-01 10:00:01,2'];
    for (const names of [
      'Local Time,UTC Time',
      'time_local,time_utc',
      'LocalTime,GMT time',
      'Time,Time (UTC)',
    ])
      assert.deepEqual(
        await timesOf([`${names},v`, ...rows]),
        [1_625_133_600_000_000_000n, 1_625_133_601_000_000_000n],
        names,
      );
    const clocks = ['14:00:00,12:00:00,1', '14:00:01,12:00:01,2'];
    assert.deepEqual(await timesOf(['local time,utc time,v', ...clocks], { start: 0n }), [
      43_200_000_000_000n,
      43_201_000_000_000n,
    ]);
  });
});
