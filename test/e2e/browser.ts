import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

const wholePath = '/usr/bin/chromium';

/** The same browser without what surrounds the page, for use without a window: it takes a third less of the processor. */
const windowlessPath = '/usr/lib/chromium/chromium-headless-shell';

/** Why the tests in a browser cannot run here; false where they can. */
export const browserMissing: string | false = !existsSync(wholePath) && `there is no browser at ${wholePath}`;

/** What the library leaves out by itself. The browser takes the last list that it is given, so that ours has to name it too. */
const leftOutAnyway = [
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/**
 * The lists below the address bar are pages themselves. The browser loads them for each window, though nobody sees a
 * window, and that takes longer than to load the page under test.
 */
const popups = ['WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'WebUIOmniboxPopup'];

const args = [
  '--no-sandbox',
  '--renderer-process-limit=1',
  `--disable-features=${[...leftOutAnyway, ...popups].join(',')}`,
];

/**
 * Starts the real browser, which is the caller's to close.
 * @param isWhole whether it has to be all of it: without its windows it makes no pointer of a finger
 */
export function launchBrowser(isWhole = false): Promise<Browser> {
  return chromium.launch({
    executablePath: !isWhole && existsSync(windowlessPath) ? windowlessPath : wholePath,
    args,
  });
}

/**
 * Starts the browser as one does who has told it that no page may keep anything: it is the caller's to close.
 * @param profile a folder where it keeps what it is told
 */
export function launchKeepingNothing(profile: string): Promise<BrowserContext> {
  const blocked = 2;
  const told = { profile: { default_content_setting_values: { cookies: blocked } } };
  mkdirSync(join(profile, 'Default'), { recursive: true });
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(told));
  return chromium.launchPersistentContext(profile, { executablePath: wholePath, args });
}
