import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../root.ts';

const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

/**
 * That a machine finds no fault of accessibility in the page as it is now. In the dark only colours differ, so that only
 * they are looked at there: a caller looks at the same in the light too.
 */
export async function isAccessible(page: Page, what: string): Promise<void> {
  // The page's policy lets nothing in; the browser itself may.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  const found = (await page.evaluate(`(async () => {
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    const rules = isDark ? { runOnly: ['color-contrast'] } : {};
    const { violations } = await axe.run({ ...rules, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | '));
  })()`)) as string[];
  assert.deepEqual(found, [], what);
}
