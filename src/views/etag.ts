import { createHash } from 'node:crypto';
import type { Document } from '../domain/document.ts';
import { PitwallError } from '../errors.ts';

/** The entity tag of a kept document (RFC 9110, section 8.8.3): the same on every node and after every restart. */
export function etagOf({ body, updatedAt }: Document): string {
  const hash = createHash('sha256').update(`${updatedAt}\n`).update(body).digest('base64url');
  return `"${hash.slice(0, 22)}"`;
}

/** What a request makes of the state that it knows: the headers If-Match and If-None-Match. */
export interface Preconditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** Throws `precondition_failed` (412) where the document is not as the request takes it to be; undefined: it is not there. */
export function checkPreconditions(
  { ifMatch, ifNoneMatch }: Preconditions,
  item: Document | undefined,
): void {
  if (ifMatch !== undefined && !names(ifMatch, item)) {
    throw new PitwallError('precondition_failed', {
      detail:
        item === undefined ? 'there is no such view' : `the view has changed: it is ${etagOf(item)} now`,
    });
  }
  if (ifNoneMatch !== undefined && namesWeakly(ifNoneMatch, item)) {
    throw new PitwallError('precondition_failed', { detail: 'there is such a view already' });
  }
}

/** Whether a list of entity tags, or `*`, names the document, as If-Match compares: a weak tag names none. */
function names(list: string, item: Document | undefined): boolean {
  if (item === undefined) return false;
  const tags = list.split(',').map((tag) => tag.trim());
  return tags.includes('*') || tags.includes(etagOf(item));
}

/**
 * Tells whether a header names a tag as If-None-Match compares: a proxy that compresses an answer makes its tag a weak
 * one, `W/"…"`.
 */
export function namesWeakly(list: string, item: Document | undefined): boolean {
  return names(list.replaceAll('W/"', '"'), item);
}
