import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, following, plotted, serviceWithCars, skip, toTab } from './explorer-page.ts';

const sizes = {
  phone: { width: 390, height: 800 },
  narrow: { width: 1024, height: 700 },
  wide: { width: 1280, height: 800 },
} as const;

/** Which requests are held back, by what they ask for. */
const asks = {
  'the newest runs': (path: string, body: string) => path === '/streams' && body.includes('"length":10}'),
  'the open runs': (path: string, body: string) => path === '/streams' && body.includes('"streamIds"'),
  channels: (path: string) => path === '/parameters',
  'the rows of plots': (path: string, body: string) => path === '/parameters/data' && body.includes('"Min"'),
  'what one may do': (path: string) => path === '/topics/any/calculated',
  laps: (path: string, body: string) => path === '/parameters/data' && body.includes('"groupBy"'),
} as const;
type Asked = keyof typeof asks;

const locatorsOf = (page: Page) => ({
  Views: page.getByRole('button', { name: 'Views', exact: true }),
  More: page.getByRole('button', { name: 'More', exact: true }),
  Share: page.getByRole('button', { name: 'Share', exact: true }),
  Export: page.getByText('Export', { exact: true }),
  'Follow live': page.getByRole('button', { name: 'Follow live' }),
  Pause: page.getByRole('button', { name: 'Pause' }),
  'Search runs': page.getByLabel('Search runs'),
  Topic: page.getByRole('combobox', { name: 'Topic' }),
  'first run': page.getByLabel('Show Another car too'),
  'last run': page.getByLabel('Show Friday practice too'),
  'Runs, below': page.locator('.sheet-bar').getByText('Runs', { exact: true }),
  'Channels, below': page.locator('.sheet-bar').getByText('Channels', { exact: true }),
  'Distance as the axis': page.getByRole('button', { name: 'Distance', exact: true }),
  XY: page.getByRole('button', { name: 'XY', exact: true }),
  '+ channel': page.getByRole('button', { name: '+ channel' }),
  'Filter channels': page.getByLabel('Filter channels'),
  'Remove Speed': page.getByRole('button', { name: 'Remove Speed' }),
  'Look of Gear': page.getByRole('button', { name: 'Look of Gear' }),
  'Laps tab': page.getByRole('tab', { name: 'Laps' }),
  'Take A and B away': page.getByRole('button', { name: 'Take A and B away' }),
  'Laps by': page.locator('.plots').getByLabel('Laps by'),
  'Close XY': page.getByRole('button', { name: 'Close XY' }),
  'Close Histogram': page.getByRole('button', { name: 'Close Histogram' }),
  'Close Spectrum': page.getByRole('button', { name: 'Close Spectrum' }),
  Position: page.getByText('Position', { exact: true }),
  'event of a lap': page.getByRole('button', { name: 'Lap completed' }).first(),
  'Aligned by': page.getByLabel('Aligned by'),
});
type Control = keyof ReturnType<typeof locatorsOf>;

/** Where controls are, in whole pixels; those that may come later need not be there. */
async function placesOf(page: Page, controls: readonly Control[]) {
  const all = locatorsOf(page);
  const places = controls.map(async (name) => {
    if (!(await all[name].isVisible())) return [name, undefined] as const;
    const { x, y, width, height } = (await all[name].boundingBox())!;
    return [name, [x, y, width, height].map(Math.round)] as const;
  });
  return Object.fromEntries(await Promise.all(places));
}

interface State {
  readonly what: string;
  readonly hash: string;
  readonly size: keyof typeof sizes;
  readonly late: Asked;
  /** What comes with what was late. */
  readonly comes: (page: Page) => Promise<unknown>;
  /** They are there before, and stay where they are. */
  readonly controls: readonly Control[];
  /** They stay where they are if they are there before. */
  readonly orLater?: readonly Control[];
}

const top = ['Views', 'More', 'Follow live', 'Export'] as const;
const wideTop = [...top, 'Share'] as const;
const known = (page: Page) => page.locator('.run-name', { hasText: 'Friday practice' }).waitFor();
const withUnit = (page: Page) =>
  page.locator('.plot-row header').getByText('km/h', { exact: true }).first().waitFor();
const compared =
  '#s=cars/practice&p=Speed&p=Gear&mode=overlay&tag=lap&by=Distance&pick=cars/practice/2&pick=cars/practice/3';

const states: readonly State[] = [
  ...(['wide', 'narrow'] as const).flatMap((size): State[] => [
    {
      what: 'a page that opens a run by itself',
      hash: '',
      size,
      late: 'the newest runs',
      comes: plotted,
      controls: ['Views', 'More', 'Search runs', 'Topic', 'first run', 'last run'],
    },
    {
      what: 'a page that has opened a run by itself',
      hash: '',
      size,
      late: 'the open runs',
      comes: plotted,
      controls: [...wideTop, 'Search runs', 'Topic', 'first run', 'last run', 'Distance as the axis', 'XY'],
    },
  ]),
  {
    what: 'a page that opens a run by itself',
    hash: '',
    size: 'phone',
    late: 'the newest runs',
    comes: plotted,
    controls: ['Views', 'More', 'Runs, below', 'Channels, below'],
  },
  ...(['wide', 'narrow', 'phone'] as const).flatMap((size): State[] => {
    const own = size === 'phone' ? top : ([...wideTop, '+ channel'] as const);
    return [
      {
        what: 'a run',
        hash: '#s=cars/practice&p=Speed&p=Gear',
        size,
        late: 'the open runs',
        comes: known,
        controls: own,
      },
      {
        what: 'a run',
        hash: '#s=cars/practice&p=Speed&p=Gear',
        size,
        late: 'channels',
        comes: withUnit,
        controls: own,
        orLater: ['Remove Speed', 'Look of Gear'],
      },
    ];
  }),
  {
    what: 'two runs',
    hash: '#s=cars/practice&s=cars/other&p=Speed',
    size: 'wide',
    late: 'the open runs',
    comes: known,
    controls: wideTop,
  },
  {
    what: 'two laps',
    hash: compared,
    size: 'wide',
    late: 'laps',
    comes: (page) => page.getByLabel('Compare lap 3 of Friday practice').waitFor(),
    controls: [...wideTop, 'Aligned by', 'Laps tab', 'Filter channels'],
    orLater: ['Look of Gear'],
  },
  {
    what: 'two laps',
    hash: compared,
    size: 'phone',
    late: 'the open runs',
    comes: known,
    controls: top,
  },
  {
    what: 'two laps',
    hash: compared,
    size: 'wide',
    late: 'channels',
    comes: (page) => page.getByRole('figure', { name: 'Speed: lap 2, lap 3' }).waitFor(),
    controls: [...wideTop, 'Aligned by', 'Laps by'],
  },
  {
    what: 'a map',
    hash: '#s=cars/practice&p=Speed&panel=map',
    size: 'wide',
    late: 'channels',
    comes: (page) => page.locator('.track canvas').waitFor(),
    controls: [...wideTop, 'Position'],
  },
  {
    what: 'a list of events',
    hash: '#s=cars/practice&p=Speed&panel=events',
    size: 'wide',
    late: 'what one may do',
    comes: (page) => page.getByText('To write a note, press N').waitFor(),
    controls: [...wideTop, 'event of a lap'],
  },
  ...(['the rows of plots', 'the open runs'] as const).map(
    (late): State => ({
      what: 'panels beside the plots',
      hash: '#s=cars/practice&p=Speed&beside=xy,histogram,spectrum&xy=Speed,Gear',
      size: 'wide',
      late,
      comes: async (page) => {
        for (const panel of ['.histogram', '.spectrum'])
          await page.locator(`${panel} .chart-room svg`).waitFor();
        await page.getByRole('img', { name: 'Gear over Speed' }).waitFor();
      },
      controls: [...wideTop, 'XY', 'Close XY', 'Close Histogram', 'Close Spectrum'],
    }),
  ),
  {
    what: 'a run with A and B',
    hash: '#s=cars/practice&p=Speed&panel=measure&a=1800000060000000000&b=1800000090000000000',
    size: 'wide',
    late: 'the rows of plots',
    comes: (page) => page.getByRole('region', { name: 'Measure' }).getByText('cursor').first().waitFor(),
    controls: [...wideTop, 'Take A and B away', 'Laps tab'],
  },
];

describe('controls of the explorer that one aims at', { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples, start } = await serviceWithCars();
  const open = browserPages();

  /** Holds back what asks for such things, once it is `on` a page; gives what lets it go on. */
  function hold(late: Asked) {
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const asked = { count: 0 };
    const on = (page: Page) =>
      page.route(
        ({ pathname }) => !pathname.startsWith('/assets'),
        async (route) => {
          if (isAsked(route.request(), late)) {
            asked.count++;
            await held;
          }
          // The page may have been closed, or have asked for something else.
          await route.continue().catch(() => undefined);
        },
      );
    return { go, asked, on };
  }

  for (const { what, hash, size, late, comes, controls, orLater = [] } of states) {
    it(`stay where they are: ${what}, ${size}, ${late} come late`, async () => {
      const { asked, go, on } = hold(late);
      const { page, faults } = await open(service.url, hash, {
        token: service.token,
        viewport: sizes[size],
        prepare: on,
      });
      const all = locatorsOf(page);
      for (const name of controls) await all[name].waitFor();
      await until(() => asked.count > 0);
      const names = [...controls, ...orLater];
      const before = await placesOf(page, names);
      go();
      await comes(page);
      for (const name of orLater) await all[name].waitFor();
      const after = await placesOf(page, names);
      for (const name of names)
        if (before[name] !== undefined) assert.deepEqual(after[name], before[name], name);
      assert.deepEqual(faults, []);
    });
  }

  it('stay where they are when another run is ticked, whenever it is known what that is', async () => {
    const { page } = await open(service.url, '#s=cars/practice&p=Speed', { token: service.token });
    await plotted(page);
    await toTab(page, 'Runs');
    const { go, on } = hold('the open runs');
    await on(page);
    await page.getByLabel('Show Another car too').check();
    const opened = page.getByRole('region', { name: 'Open runs' });
    await opened.locator('summary').nth(1).waitFor();
    const names = ['Search runs', 'Topic', 'first run', 'last run'] as const;
    const before = await placesOf(page, names);
    go();
    await opened.getByText('Another car').waitFor();
    await page.locator('.plots[aria-busy="false"]').waitFor();
    assert.deepEqual(await placesOf(page, names), before);
  });

  it('stay where they are while live data comes and ends', async () => {
    const now = BigInt(Date.now()) * 1_000_000n;
    const write = (second: bigint) =>
      client.writeParameterData('cars', 'live', {
        timestamps: [now + second * 1_000_000_000n],
        numericValues: { Speed: [Number(second)] },
      });
    await write(0n);
    for (const size of ['wide', 'narrow', 'phone'] as const) {
      const { page } = await open(service.url, '#s=cars/live&p=Speed&live=1', {
        token: service.token,
        viewport: sizes[size],
      });
      await following(page);
      const names = ['Pause', 'Views', 'More'] as const;
      const before = await placesOf(page, names);
      await write(BigInt(Object.keys(sizes).indexOf(size) + 1));
      await page.locator('.behind').waitFor();
      assert.deepEqual(await placesOf(page, names), before, `${size}: data comes`);
      await page.locator('.live').getByText('no data').waitFor();
      assert.deepEqual(await placesOf(page, names), before, `${size}: no data comes`);
      await page.close();
    }
  });

  it('are the same runs of the list while the pointer is on its way to one, though others are written', async () => {
    const topic = 'taken in turns';
    const write = (streamId: string, row: number) =>
      client.writeParameterData(topic, streamId, {
        timestamps: [start + BigInt(row)],
        numericValues: { v: [samples[row]!.values[0]!] },
      });
    await write('one', 0);
    await write('two', 0);
    const { page } = await open(service.url, `#topic=${encodeURIComponent(topic)}`, { token: service.token });
    await plotted(page);
    const names = page.locator('.run .name');
    const order = () => names.allTextContents();
    await until(async () => (await order()).join() === 'two,one');
    await names.first().hover();
    // A hand that moves, however slow the machine is.
    await page.evaluate(`
      const move = () =>
        document.querySelector('.run').dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
      move();
      window.hand = setInterval(move, 100);
    `);
    const isOfList = (request: Request) => (request.postData() ?? '').includes('"length":100}');
    const listed = page.waitForResponse(
      async (own) => isOfList(own.request()) && (await own.text()).includes('"three"'),
    );
    await write('one', 1);
    await write('three', 0);
    await listed;
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    assert.deepEqual(await order(), ['two', 'one']);
    await page.evaluate('clearInterval(window.hand)');
    await until(async () => (await order()).join() === 'three,one,two');
  });
});

function isAsked(request: Request, late: Asked): boolean {
  return asks[late](new URL(request.url()).pathname, request.postData() ?? '');
}
