import type { TestContext } from 'node:test';
import type { Page, Request } from 'playwright-core';

/** So much of a page's text tells where it stands, characters. */
const mostText = 4000;

/** Follows what a page asks for. Gives what tells how the page stands: its address, what it waits for, and what is read in it. */
export function watched(page: Page): () => Promise<string> {
  const waiting = new Set<Request>();
  page.on('request', (request) => waiting.add(request));
  const end = (request: Request) => waiting.delete(request);
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  return async () => {
    const asked = [...waiting].map((request) => `${request.method()} ${request.url()}`);
    const text = await page.locator('body').innerText({ timeout: 5000 }).catch(String);
    const busy = await page.locator('[aria-busy="true"]').evaluateAll(classes).catch(String);
    return [
      `The page was at ${page.url()}`,
      `It waited for: ${asked.join(', ') || 'nothing'}. Busy: ${busy || 'nothing'}. Its text:`,
      text.slice(0, mostText),
    ].join('\n');
  };
}

const classes = (elements: { readonly className: unknown }[]) =>
  elements.map(({ className }) => className).join(', ');

/** Adds to the error of a test that failed how its pages stood. */
export async function tellOf(context: TestContext, pages: readonly (() => Promise<string>)[]): Promise<void> {
  const { passed, error } = context as TestContext & { readonly passed?: boolean; readonly error?: Error };
  const cause = error?.cause;
  if (passed !== false || !(cause instanceof Error)) return;
  for (const tell of pages) cause.stack += `\n${await tell()}`;
}
