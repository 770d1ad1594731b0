import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { roundTimes } from '../../../web/src/lines/round-times.ts';
import { parseTime, timeText } from '../../../web/src/lines/time-text.ts';
import { zone, zoneName } from '../../../web/src/lines/zone.ts';

const { TZ: usual } = process.env;

/** The clock of a place, until another one is taken. */
function clockOf(place: string): void {
  process.env['TZ'] = place;
  zone.value = 'local';
}

const ns = (iso: string) => BigInt(Date.parse(iso)) * 1_000_000n;

describe('the clock of whoever looks', () => {
  after(() => {
    zone.value = 'utc';
    if (usual === undefined) delete process.env['TZ'];
    else process.env['TZ'] = usual;
  });

  it('is ahead of UTC by seconds too, where it was', () => {
    clockOf('Africa/Monrovia');
    const time = ns('1960-01-01T00:44:30Z');
    assert.equal(timeText(time), '1960-01-01 00:00:00.000000000');
    assert.equal(parseTime(timeText(time)), time);
    assert.equal(zoneName(Number(time / 1_000_000n)), 'UTC−00:44:30');
    assert.deepEqual(roundTimes({ from: time, to: time + 3_600_000_000_000n }, 2), [
      time,
      time + 3_600_000_000_000n,
    ]);
  });

  it('is asked for an offset where it shows a time twice, and says where it leaves one out', () => {
    clockOf('Europe/Berlin');
    assert.equal(
      parseTime('2026-10-25 02:30'),
      'Local clocks show this time twice: put +02:00 or +01:00 behind it',
    );
    assert.equal(parseTime('2026-10-25 02:30+02:00'), ns('2026-10-25T00:30Z'));
    assert.equal(parseTime('2026-10-25 02:30+01:00'), ns('2026-10-25T01:30Z'));
    assert.equal(parseTime('2026-10-25 01:59:59'), ns('2026-10-24T23:59:59Z'));
    assert.equal(parseTime('2026-10-25 03:00'), ns('2026-10-25T02:00Z'));
    assert.match(String(parseTime('2026-03-29 02:30')), /^Local clocks leave this time out/);
    assert.equal(parseTime('2026-03-29 03:00'), ns('2026-03-29T01:00Z'));
    clockOf('America/New_York');
    assert.equal(
      parseTime('2026-11-01 01:30'),
      'Local clocks show this time twice: put -04:00 or -05:00 behind it',
    );
    clockOf('Australia/Lord_Howe');
    assert.match(String(parseTime('2026-04-05 01:45')), /put \+11:00 or \+10:30 behind it$/);
  });

  it('has midnights on both sides of the days with 23 and 25 hours', () => {
    clockOf('Europe/Berlin');
    for (const [from, to] of [
      ['2026-10-23T00:00Z', '2026-10-28T00:00Z'],
      ['2026-03-27T00:00Z', '2026-04-01T00:00Z'],
    ] as const) {
      const days = roundTimes({ from: ns(from), to: ns(to) }, 6).map(timeText);
      assert.equal(new Set(days.map((text) => text.slice(0, 10))).size, days.length, days.join());
      assert.ok(days.length > 3 && days.every((text) => text.endsWith(' 00:00:00.000000000')), days.join());
    }
  });

  it('has the hour that comes twice twice, and no hour that there is not', () => {
    clockOf('Europe/Berlin');
    const clocks = (from: string, to: string, count: number) =>
      roundTimes({ from: ns(from), to: ns(to) }, count).map((time) => timeText(time).slice(11, 16));
    assert.deepEqual(clocks('2026-10-24T23:00Z', '2026-10-25T03:00Z', 6), [
      '01:00',
      '02:00',
      '02:00',
      '03:00',
      '04:00',
    ]);
    assert.deepEqual(clocks('2026-03-28T23:00Z', '2026-03-29T07:00Z', 5), [
      '00:00',
      '04:00',
      '06:00',
      '08:00',
    ]);
  });
});
