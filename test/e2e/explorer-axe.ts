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
  const grounds = new Map();
  const groundOf = (element) => {
    if (!grounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      grounds.set(element, [backgroundColor, backgroundImage, opacity].join());
    }
    return grounds.get(element);
  };
  const lookOf = (element) => {
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const { left, top, width, height } = element.getBoundingClientRect();
    const below = document.elementsFromPoint(left + width / 2, top + height / 2);
    const above = [];
    for (let at = element; at !== null; at = at.parentElement) above.push(at);
    const kind = [element.tagName, element.className, element.matches(':disabled')];
    return JSON.stringify([isDark, color, fontSize, fontWeight, ...kind, [...above, ...below].map(groundOf)]);
  };
  const fresh = new Map();
  for (const element of document.querySelectorAll('body *')) {
    const own = isText(element) && lookOf(element);
    if (own && !looks.has(own)) fresh.set(own, element);
  }
  if (isDark && fresh.size === 0) return [];
  for (const one of fresh.keys()) looks.add(one);
  for (const one of fresh.values()) one.setAttribute('data-fresh', '');
  axe.configure({ rules: [{ id: 'color-contrast', selector: '[data-fresh]' }] });
  const { violations } = await axe.run({
    resultTypes: ['violations'],
    ...(isDark && { runOnly: ['color-contrast'] }),
  });
  for (const one of fresh.values()) one.removeAttribute('data-fresh');
  return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | '));
})()`;

/** That a machine finds no fault of accessibility in the page as it is now, in the dark and in the light. */
export async function isAccessible(page: Page, what: string): Promise<void> {
  // The page's policy lets nothing in; the browser itself may.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await page.evaluate(look), [], `${what}, ${colorScheme}`);
  }
}
