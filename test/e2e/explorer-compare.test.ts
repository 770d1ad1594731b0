import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { holds, isMarked, overPlaces, places, reach, readingsOf } from './explorer-cursor.ts';
import { browserPages, copiedQuery, plotted, skip } from './explorer-page.ts';
import { type PagePeek, peek, type ReadText, scaleThrough, timeOf, watchCanvases } from './explorer-peek.ts';
import { type Seeded, type SeedRow, seededService, seedStart, topic } from './explorer-seed.ts';
import { send } from './service.ts';

const second = 1_000_000_000n;

describe("the explorer's comparisons", { skip }, async () => {
  if (skip !== false) return;
  const { service, rows } = await seededService();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token, script: watchCanvases });

  for (const shift of [0, 12.5]) {
    it(`read the rows of whole streams at 200 places of a comparison by time, the second moved by ${shift} s`, async () => {
      const { page } = await signedIn(`#s=${topic}/one&s=${topic}/two&p=Fast&mode=overlay`);
      await plotted(page);
      if (shift !== 0) {
        await page.getByLabel('Move two by (s)').fill(String(shift));
        await page.getByLabel('Move two by (s)').press('Enter');
        await page.waitForURL(/shift=/);
        // The address holds it.
        await page.reload();
        await plotted(page);
        assert.equal(await page.getByLabel('Move two by (s)').inputValue(), String(shift));
      }
      const both = [await rows('one', 'Fast'), await rows('two', 'Fast')];
      const begins = [0, shift];
      const ends = both.map((own, line) => begins[line]! + Number(own.at(-1)!.time - own[0]!.time) / 1e9) as [
        number,
        number,
      ];
      let empty = 0;
      for (const { plots, cursor } of await overPlaces(page, 0)) {
        const plot = plots[0]!;
        const reads = readingsOf(plot, 2);
        const at = Number(cursor.replace(' s', ''));
        const perPixel = Math.max(...ends) / plot.box.width;
        const placeOf = ({ from, to }: ReadText, line: number) => {
          const first = both[line]![0]!.time;
          return begins[line]! + (Number(from - first) + Number(to - first)) / 2e9;
        };
        isMarked(plot, reads, (read, line) => plot.box.left + placeOf(read, line) / perPixel);
        for (const [line, read] of reads.entries()) {
          const near = (reach + 1) * perPixel;
          const isOutside = at < shift - near || at > ends[1] + near;
          const isSilent = line === 0 ? at > 50 + near && at < 70 - near : isOutside;
          const isHeard = line === 0 ? at < 50 || at > 70 : at > shift && at < ends[1];
          assert.ok(read === undefined ? !isHeard : !isSilent, `line ${line} at ${at} s`);
          if (read === undefined) empty++;
          else holds(read, both[line]!, `line ${line} at ${at} s`);
        }
      }
      assert.ok(empty > 100);
    });
  }

  it('read the rows of laps at 200 places of a comparison by distance, with the time between them', async () => {
    const { page } = await signedIn(
      `#s=${topic}/one&p=Fast&p=Slow&mode=overlay&tag=lap&value=1&value=4&by=Distance`,
    );
    await plotted(page);
    const ofLap = async (parameter: Seeded, lap: string) =>
      (await rows('one', parameter)).filter((row) => row.lap === lap);
    const ways = await Promise.all(['1', '4'].map((lap) => ofLap('Distance', lap)));
    const shown = await Promise.all(
      (['Fast', 'Slow'] as const).map((parameter) =>
        Promise.all(['1', '4'].map((lap) => ofLap(parameter, lap))),
      ),
    );
    const placesOf = shown.map((both) =>
      both.map((own, line) => new Map(own.map(({ time }) => [time, placeAt(ways[line]!, time)]))),
    );
    for (const { plots, cursor, ticks } of await overPlaces(page, 1)) {
      const [delta, ...others] = plots;
      const at = Number(/^Distance (\S+) m$/.exec(cursor)?.[1]);
      for (const [i, plot] of others.entries()) {
        const reads = readingsOf(plot, 2);
        const xOf = acrossScale(ticks);
        isMarked(plot, reads, ({ from }, line) => xOf(placesOf[i]![line]!.get(from)!));
        for (const [line, read] of reads.entries()) {
          const own = shown[i]![line]!;
          if (read === undefined) {
            const last = placeAt(ways[line]!, own.at(-1)!.time);
            const first = placeAt(ways[line]!, own[0]!.time);
            assert.ok(at < first - 5 || at > last + 5, `${plot.title} says nothing at ${at} m`);
            continue;
          }
          holds(read, own, `${plot.title} at ${at} m`);
          const known = placesOf[i]![line]!;
          // The last row before the place, or the first one of the lap.
          const places = [...known.values()];
          const held = Math.max(...places.filter((place) => place <= at - 0.02));
          const place = known.get(read.from)!;
          const [first] = places;
          assert.ok(place >= held, `${plot.title}: another row holds at ${at} m`);
          assert.ok(place <= at + 0.02 || place === first, `${plot.title}: a row behind ${at} m`);
        }
      }
      const [reference, lap] = ways.map((way) => timeAt(way, at));
      const [text = ''] = delta!.readings;
      if (reference === undefined || lap === undefined) {
        assert.equal(text, '', `Δt at ${at} m`);
        continue;
      }
      const begin = Math.max(...ways.map(([row]) => row!.value));
      const [referenceBegin, lapBegin] = ways.map((way) => timeAt(way, begin)!);
      const expected = lap - lapBegin! - (reference - referenceBegin!);
      assert.match(text, /^[+−]\d+\.\d{3} s$/);
      const said = Number(text.replace('−', '-').replace(' s', ''));
      assert.ok(Math.abs(said - expected) < 0.002, `Δt ${text} for ${expected} at ${at} m`);
    }
  });

  it('read the rows at 200 places of one parameter over another', async () => {
    const { page } = await signedIn(`#s=${topic}/one&p=Fast&mode=xy&xy=Distance,Fast,Count&tag=lap&value=2`);
    await page.locator('.xy-panel .plot canvas').waitFor();
    const [x, y, shade] = await Promise.all(
      (['Distance', 'Fast', 'Count'] as const).map((parameter) => rows('one', parameter)),
    );
    const xyOf = ({ plots }: PagePeek) => plots.find(({ title }) => title.includes(' over '));
    const plot = xyOf(await peek(page));
    const frame = (await page.locator('.xy-panel .plot canvas').boundingBox())!;
    const across = plot!.texts.filter(({ text, y: top }) => /^\d+$/.test(text) && top > frame.height - 30);
    const xOf = scaleThrough(across.map(({ text, x: left }) => [Number(text), left]));
    const up = plot!.texts.filter(({ text, x: left }) => /^\d+$/.test(text) && left < 60);
    const yOf = scaleThrough(up.map(({ text, y: top }) => [Number(text), top - 4]));
    const ofLap = x!.flatMap((row, i) => (row.lap === '2' ? [i] : []));
    for (let i = 0; i < places; i++) {
      const wanted = ofLap[Math.floor((i * ofLap.length) / places)]!;
      const pointer = { x: xOf(x![wanted]!.value), y: yOf(y![wanted]!.value) };
      await page.mouse.move(frame.x + pointer.x, frame.y + pointer.y);
      const now = await peek(page);
      const time = timeOf(now.xy);
      const read = x!.findIndex((row) => row.time === time);
      assert.ok(ofLap.includes(read), `${now.xy} is the time of a row`);
      const [ownX, ownY] = [x![read]!.value, y![read]!.value];
      assert.ok(
        now.xy.startsWith(`Distance ${ownX} m, Fast ${ownY} bar, Count ${shade![read]!.value} `),
        now.xy,
      );
      const [dot, ...more] = xyOf(now)!.dots;
      assert.equal(more.length, 0);
      assert.ok(Math.abs(dot!.x - xOf(ownX)) < 1.5 && Math.abs(dot!.y - yOf(ownY)) < 1.5);
      assert.ok(Math.hypot(dot!.x - pointer.x, dot!.y - pointer.y) < 2, `${i}: the nearest row`);
    }
    await page.mouse.move(frame.x + 62, frame.y + 7);
    assert.deepEqual((await peek(page)).cursor, '');
  });

  it('exports exactly the rows that are seen, and so does the query to copy', async () => {
    const range = { from: seedStart + 10n * second, to: seedStart + 100n * second };
    const { page } = await signedIn(
      `#s=${topic}/one&p=Fast&mode=overlay&tag=lap&value=1&value=4&by=Distance&from=${range.from}&to=${range.to}`,
    );
    await plotted(page);
    const [fast, way] = await Promise.all([rows('one', 'Fast'), rows('one', 'Distance')]);
    const expected = fast.flatMap(({ time, value, lap }, i) =>
      (lap === '1' || lap === '4') && time >= range.from && time <= range.to
        ? [`${time},${value},${way[i]!.value},${lap}`]
        : [],
    );
    assert.ok(expected.length > 2000);
    await page.getByText('Export', { exact: true }).click();
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const text = readFileSync(await (await coming).path(), 'utf8');
    const [header, ...lines] = text.trimEnd().split(/\r?\n/);
    assert.equal(header, 'Timestamp,Fast,Distance,TAG__lap');
    assert.deepEqual(lines, expected);
    const curl = await copiedQuery(page);
    const answer = await send(service.url, '/parameters/data', {
      token: service.token,
      body: /-d '(.*)'$/.exec(curl)?.[1] ?? '',
      headers: { accept: 'text/csv' },
    });
    assert.equal(answer.text, text);
  });

  it('shows no rows outside of the range of the page, and leaves the others where they are', async () => {
    const laps = `#s=${topic}/one&p=Fast&mode=overlay&tag=lap&value=1&value=4`;
    const { page } = await signedIn(
      `${laps}&from=${seedStart + 10n * second}&to=${seedStart + 110n * second}`,
    );
    await plotted(page);
    let both = 0;
    for (const { plots, cursor } of await overPlaces(page, 0)) {
      const at = Number(cursor.replace(' s', ''));
      const [first, fourth] = readingsOf(plots[0]!, 2);
      // The first lap is cut at its begin, the fourth at its end.
      if (Math.abs(at - 10) > 0.2) assert.equal(first !== undefined, at > 10, `lap 1 at ${at} s`);
      if (Math.abs(at - 20) > 0.2) assert.equal(fourth !== undefined, at < 20, `lap 4 at ${at} s`);
      if (first === undefined || fourth === undefined) continue;
      both++;
      const starts = [0n, 90n].map((seconds) => seedStart + seconds * second);
      for (const [i, read] of [first, fourth].entries()) {
        assert.ok(Math.abs(Number(read.from - starts[i]!) / 1e9 - at) < 0.15, `${read.from} at ${at} s`);
      }
    }
    assert.ok(both > 50);
  });

  it('zooms into what is dragged over, down to the rows, and out again', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&s=${topic}/two&p=Fast&mode=overlay`);
    await plotted(page);
    const frame = (await page.locator('.plot .u-over').boundingBox())!;
    await page.mouse.move(frame.x + frame.width * 0.1, frame.y + 80);
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(frame.x + frame.width * 0.15, frame.y + 80, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.waitForURL(/across=/);
    await plotted(page);
    const across = new URLSearchParams(new URL(page.url()).hash).get('across')!;
    const [from, to] = across.split('~').map(Number) as [number, number];
    assert.ok(Math.abs(from - 12) < 0.3 && Math.abs(to - 18) < 0.3, across);
    for (const { plots, cursor } of await overPlaces(page, 0)) {
      const at = Number(cursor.replace(' s', ''));
      for (const [line, read] of readingsOf(plots[0]!, 2).entries()) {
        assert.ok(read !== undefined && read.from === read.to, `a row at ${at} s`);
        const own = await rows(line === 0 ? 'one' : 'two', 'Fast');
        holds(read, own, `line ${line} at ${at} s`);
        const ago = at - Number(read.from - own[0]!.time) / 1e9;
        assert.ok(ago > -0.001 && ago < 0.021, `${read.from} at ${at} s`);
      }
    }
    await page.getByRole('region', { name: 'Overlay' }).press('+');
    await page.waitForURL((url) => !url.hash.includes(encodeURIComponent(across)));
    await page.mouse.dblclick(frame.x + 30, frame.y + 30);
    await page.waitForURL((url) => !url.hash.includes('across='));
    assert.deepEqual(faults, []);
  });
});

/** Where plots draw a number across, by the texts of their axis. */
function acrossScale(ticks: PagePeek['ticks']): (value: number) => number {
  return scaleThrough(ticks.map(({ text, x }) => [Number(text), x]));
}

/** Where a lap was at a time, on the straight line between two rows. */
function placeAt(way: readonly SeedRow[], time: bigint): number {
  const next = way.findIndex((row) => row.time >= time);
  if (next < 0) return Number.NaN;
  if (way[next]!.time === time || next === 0) return way[next]!.value;
  const [a, b] = [way[next - 1]!, way[next]!];
  return a.value + ((b.value - a.value) * Number(time - a.time)) / Number(b.time - a.time);
}

/** When a lap was at a place, in seconds; undefined where it never was. */
function timeAt(way: readonly SeedRow[], place: number): number | undefined {
  const next = way.findIndex(({ value }) => value >= place);
  if (next < 0 || (next === 0 && way[0]!.value > place)) return undefined;
  const [a, b] = [way[Math.max(0, next - 1)]!, way[next]!];
  const share = a === b ? 0 : (place - a.value) / (b.value - a.value);
  return (Number(a.time - way[0]!.time) + share * Number(b.time - a.time)) / 1e9;
}
