import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../root.ts';

const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

/**
 * Contrast takes most of the time, and depends on few things: of all texts that look the same, on the same ground, one is
 * looked at, once. All other rules look at the whole page, in the light: in the dark only colours differ.
 */
const look = `(async () => {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  globalThis.looks ??= new Set();
  const isText = (element) =>
    element.checkVisibility({ visibilityProperty: true }) &&
    (element.matches('input, select, textarea') ||
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== ''));
  const lookOf = (element) => {
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const { left, top, width, height } = element.getBoundingClientRect();
    const below = document.elementsFromPoint(left + width / 2, top + height / 2);
    const above = [];
    for (let at = element; at !== null; at = at.parentElement) above.push(at);
    const grounds = [...above, ...below].map((at) => {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(at);
      return [backgroundColor, backgroundImage, opacity];
    });
    const kind = [element.tagName, element.className, element.matches(':disabled')];
    return JSON.stringify([isDark, color, fontSize, fontWeight, ...kind, grounds]);
  };
  const fresh = new Map();
  for (const element of document.querySelectorAll('body *')) {
    const own = isText(element) && lookOf(element);
    if (own && !looks.has(own)) fresh.set(own, element);
  }
  for (const one of fresh.keys()) looks.add(one);
  const options = { resultTypes: ['violations'] };
  const runs = [];
  if (fresh.size > 0)
    runs.push(await axe.run({ include: [...fresh.values()] }, { ...options, runOnly: ['color-contrast'] }));
  if (!isDark) runs.push(await axe.run({ ...options, rules: { 'color-contrast': { enabled: false } } }));
  return runs.flatMap(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')));
})()`;

/** That a machine finds no fault of accessibility in the page as it is now. A caller looks at the same in light and dark. */
export async function isAccessible(page: Page, what: string): Promise<void> {
  // The page's policy lets nothing in; the browser itself may.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  assert.deepEqual(await page.evaluate(look), [], what);
}
