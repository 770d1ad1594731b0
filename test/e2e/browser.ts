import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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

/**
 * Starts the real browser, which is the caller's to close.
 * @param isWhole whether it has to be all of it: without its windows it makes no pointer of a finger
 */
export function launchBrowser(isWhole = false): Promise<Browser> {
  const leftOut = [...leftOutAnyway, ...popups].join(',');
  return chromium.launch({
    executablePath: !isWhole && existsSync(windowlessPath) ? windowlessPath : wholePath,
    args: ['--no-sandbox', '--renderer-process-limit=1', `--disable-features=${leftOut}`],
  });
}
