import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * The same browser twice. The first is built for use without a window and leaves out what surrounds the page, which takes
 * half of the processor's time.
 */
const browserPaths = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'];
const browserPath = browserPaths.find((path) => existsSync(path));

/** Why the tests in a browser cannot run here; false where they can. */
export const browserMissing: string | false =
  browserPath === undefined && `there is no browser at ${browserPaths.join(' or ')}`;

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

/** Starts the real browser, which is the caller's to close. */
export function launchBrowser(): Promise<Browser> {
  const leftOut = [...leftOutAnyway, ...popups].join(',');
  return chromium.launch({
    ...(browserPath !== undefined && { executablePath: browserPath }),
    args: ['--no-sandbox', `--disable-features=${leftOut}`],
  });
}
