import type { Document } from '../domain/document.ts';
import { PitwallError } from '../errors.ts';
import type { Documents } from '../store/store.ts';

/** The most characters of the views and shares of a workspace: every node has all of them in memory. */
const maxDocumentChars = 64 * 1024 * 1024;

const sums = new WeakMap<readonly Document[], number>();

/**
 * Throws `too_many_views` (403) where the views and shares of a workspace would take too much with `more` characters, and without
 * those that are forgotten for it.
 */
export function checkDocumentBytes(
  catalog: Pick<Documents, 'documents'>,
  workspace: string,
  added: number,
  forgotten: readonly Document[] = [],
): void {
  const more = added - charsOf(forgotten);
  const used = charsOf(catalog.documents(workspace, 'view')) + charsOf(catalog.documents(workspace, 'share'));
  if (more <= 0 || used + more <= maxDocumentChars) return;
  throw new PitwallError('too_many_views', {
    detail: `the views and shares of the workspace '${workspace}' have ${used} characters of ${maxDocumentChars}; delete some first`,
  });
}

/** Lists stay the same until one of their documents changes. */
function charsOf(items: readonly Document[]): number {
  let sum = sums.get(items);
  if (sum === undefined) {
    sum = items.reduce((chars, { body }) => chars + body.length, 0);
    sums.set(items, sum);
  }
  return sum;
}
