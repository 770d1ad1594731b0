import type { Document } from '../domain/document.ts';
import { PitwallError } from '../errors.ts';
import type { Documents } from '../store/store.ts';

/** The most characters of the views and shares of a workspace: every node has all of them in memory. */
const maxDocumentChars = 64 * 1024 * 1024;

const sums = new WeakMap<readonly Document[], number>();

/**
 * Throws `too_many_views` (403) where the views and shares of a workspace would take too much with `added` characters, and without
 * those that are forgotten for it.
 */
export function checkDocumentBytes(
  catalog: Pick<Documents, 'documents'>,
  workspace: string,
  added: number,
  forgotten: readonly Document[] = [],
): void {
  if (hasRoom(catalog, workspace, added - charsOf(forgotten))) return;
  throw new PitwallError('too_many_views', {
    detail: `the views and shares of the workspace '${workspace}' have ${usedOf(catalog, workspace)} characters of ${maxDocumentChars}; delete some first`,
  });
}

/** Whether the views and shares of a workspace may have so many more characters. */
export function hasRoom(catalog: Pick<Documents, 'documents'>, workspace: string, more: number): boolean {
  return more <= 0 || usedOf(catalog, workspace) + more <= maxDocumentChars;
}

function usedOf(catalog: Pick<Documents, 'documents'>, workspace: string): number {
  return charsOf(catalog.documents(workspace, 'view')) + charsOf(catalog.documents(workspace, 'share'));
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
