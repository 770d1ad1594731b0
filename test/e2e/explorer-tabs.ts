import { after } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';

/** The browsers of all tests of this process: one, and one that makes a pointer of a finger. */
const browsers = new Map<boolean, Promise<Browser>>();
after(async () => {
  for (const browser of browsers.values()) await (await browser).close();
});

function browserFor(isTouched: boolean): Promise<Browser> {
  const browser = browsers.get(isTouched) ?? launchBrowser(isTouched);
  browsers.set(isTouched, browser);
  return browser;
}

/**
 * Where most tabs are opened, one after the other: what the browser has compiled of the page is there still, and so is its
 * process, for a tab of the icon stays. Tabs that are open at one time are each in another one.
 */
interface Kept {
  readonly context: BrowserContext;
  readonly icon: CDPSession;
  isTaken: boolean;
}
const kept: Kept[] = [];

async function take(url: string): Promise<Kept> {
  const free = kept.find(({ isTaken }) => !isTaken);
  if (free !== undefined) {
    free.isTaken = true;
    return free;
  }
  const context = await (await browserFor(false)).newContext();
  const page = await context.newPage();
  await page.goto(`${url}/icon.svg`);
  const made = { context, icon: await context.newCDPSession(page), isTaken: true };
  kept.push(made);
  return made;
}

/** A tab that knows of no other, and what closes it. */
export interface OwnTab {
  readonly page: Page;
  readonly close: () => Promise<void>;
}

const usual = { width: 1280, height: 800 };

/**
 * Opens an empty tab. Whoever asks for more than a size gets a context of their own.
 * @param url the service
 */
export async function newTab(
  url: string,
  { viewport = usual, ...more }: BrowserContextOptions,
): Promise<OwnTab> {
  if (Object.keys(more).length > 0 || viewport === null) {
    const context = await (await browserFor(more.hasTouch === true)).newContext({ viewport, ...more });
    return { page: await context.newPage(), close: () => context.close() };
  }
  const own = await take(url);
  const { context, icon } = own;
  const page = await context.newPage();
  await page.setViewportSize(viewport);
  const close = async () => {
    for (const one of context.pages().slice(1)) await one.close();
    await context.setOffline(false);
    // What the page remembers is of its address.
    await icon.send('Storage.clearDataForOrigin', {
      origin: new URL(url).origin,
      storageTypes: 'local_storage',
    });
    own.isTaken = false;
  };
  return { page, close };
}
