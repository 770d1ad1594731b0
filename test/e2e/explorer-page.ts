import { afterEach, beforeEach, type TestContext } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Client } from '../../src/client/client.ts';
import { drive, type Sample } from '../../src/demo/drive.ts';
import { seededRandom } from '../../src/demo/random.ts';
import { announce, writeSamples } from '../../src/demo/record.ts';
import { makeTrack } from '../../src/demo/track.ts';
import { until } from '../until.ts';
import { browserMissing } from './browser.ts';
import { tellOf, watched } from './explorer-failure.ts';
import { type OwnWorkspace, ownWorkspace } from './explorer-service.ts';
import { newTab } from './explorer-tabs.ts';

/** Why the tests in a browser cannot run here; false where they can. */
export const skip = browserMissing;

/** A page and what went wrong in it: errors and violations of the Content-Security-Policy. */
export interface Tab {
  readonly page: Page;
  readonly faults: readonly string[];
}

export interface Opening extends BrowserContextOptions {
  /** As if one had signed in with it before, in this tab. */
  readonly token?: string;
  /** Runs in the page before its own code. */
  readonly script?: string;
  /** What is done before the page is loaded, which is then not waited for. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/**
 * Opens pages of a service in tabs that know nothing of each other. What a test opens is closed at its end, for it would
 * go on following and drawing beside those that come.
 */
export function browserPages(): (url: string, hash?: string, opening?: Opening) => Promise<Tab> {
  let opened: { readonly close: () => Promise<void>; readonly tell: () => Promise<string> }[] = [];
  beforeEach(() => {
    opened = [];
  });
  afterEach(async (context) => {
    await tellOf(
      context as TestContext,
      opened.map(({ tell }) => tell),
    );
    for (const { close } of opened) await close();
  });
  return async (url, hash = '', { token, script, prepare, ...options } = {}) => {
    const { page, close } = await newTab(url, options);
    opened.push({ close, tell: watched(page) });
    if (script !== undefined) await page.addInitScript(script);
    page.setDefaultTimeout(60_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) faults.push(message.text());
    });
    if (token !== undefined) await page.addInitScript(signedInWith(token));
    await prepare?.(page);
    await page.goto(`${url}/${hash}`);
    if (token !== undefined && prepare === undefined) await page.locator('.app').waitFor();
    return { page, faults };
  };
}

/** Puts the token where the page looks for it, before its own code runs, and once for the tab: it may sign out and load again. */
const signedInWith = (token: string) => `
  if (window.name !== 'signed-in') {
    sessionStorage.setItem('pitwall.token', ${JSON.stringify(token)});
    window.name = 'signed-in';
  }
`;

/** Waits until a page follows live data. */
export async function following(page: Page): Promise<void> {
  await page.locator('fieldset.live').getByText('connected', { exact: true }).waitFor();
}

/** Three laps of a car, 50 samples a second, as stream `practice` of topic `cars`, and a piece of them as `other`. */
export interface Cars {
  readonly service: OwnWorkspace['service'];
  readonly client: Client;
  readonly samples: readonly Sample[];
  /** Time of the first sample, ns. */
  readonly start: bigint;
}

/** Of all files of this process. */
let usual: readonly Sample[] | undefined;

function* threeLaps(): Generator<Sample> {
  for (const sample of drive(makeTrack(), 50, seededRandom(1))) {
    if (sample.lap > 3) return;
    yield sample;
  }
}

export async function serviceWithCars(): Promise<Cars> {
  const { service, client } = await ownWorkspace();
  const start = 1_800_000_000_000_000_001n;
  usual ??= [...threeLaps()];
  const samples = usual;
  await announce(client, 'cars', 'practice', 'Friday practice', { driver: 'A. Okafor' });
  await writeSamples(client, 'cars', 'practice', samples, start);
  await announce(client, 'cars', 'other', 'Another car', {});
  await writeSamples(client, 'cars', 'other', samples.slice(0, 500), start);
  return { service, client, samples, start };
}

/** Goes to a tab at the side. */
export async function toTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click();
}

/** The texts of the cells of rows, in one turn with the page. */
export function cellTexts(rows: Locator, cells = 'th, td'): Promise<string[][]> {
  return rows.evaluateAll(
    (all, cells) =>
      all.map((row) => [...row.querySelectorAll(cells)].map(({ textContent }) => (textContent ?? '').trim())),
    cells,
  );
}

/** The numbers with all digits that statistics have as titles, in one turn with the page. */
export function statisticsIn(part: Locator): Promise<number[]> {
  return part
    .locator('.statistics dd')
    .evaluateAll((all) => all.map((cell) => Number(cell.getAttribute('title'))));
}

/** Waits until plots are drawn and nothing is on its way. */
export async function plotted(page: Page): Promise<void> {
  await page.locator('.plots[aria-busy="false"] .plot canvas').first().waitFor();
}

export interface HeldBack {
  /** Waits until something is held, and fails where nothing is. */
  readonly asked: () => Promise<void>;
  /** Waits for the same, and lets it go on. */
  readonly goOn: () => Promise<void>;
}

/** Holds back what the page asks for at such addresses. */
export async function holdBack(page: Page, addresses: string): Promise<HeldBack> {
  let letGo = () => {};
  let isHeld = false;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(addresses, async (route) => {
    isHeld = true;
    await held;
    await route.continue();
  });
  const asked = async () => {
    await until(() => isHeld);
  };
  const goOn = async () => {
    await asked();
    letGo();
  };
  return { asked, goOn };
}

/** The range in the address. */
export function rangeOf(page: Page): { from: bigint; to: bigint } {
  const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
  return { from: BigInt(fields.get('from')!), to: BigInt(fields.get('to')!) };
}

/** The query to copy, as curl, of a panel that was just opened: it is written a moment later. */
export async function copiedQuery(page: Page): Promise<string> {
  const text = page.locator('.export pre', { hasText: 'curl' });
  return (await text.textContent()) ?? '';
}
