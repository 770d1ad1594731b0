import type { Document } from './document.ts';
import { documentBody, factsOf, restOf } from './document-body.ts';

/**
 * A share of a view as it is kept, under the hash of its token: never the token itself. It ends at `expires`, when it is
 * revoked, with its view, and with the token of its maker.
 */
export interface ShareFacts {
  /** Public identifier. */
  readonly id: string;
  /** Id of the view, and when that was made: another one of the same id is not shared. */
  readonly view: string;
  readonly viewCreatedAt: number;
  readonly topic: string;
  /** Id of the token that made it. */
  readonly maker: string;
  /** The hash of that token; of the operator's own, which is never stored, a hash of both tokens' hashes. */
  readonly makerHash: string;
  /** Milliseconds since the Unix epoch, as is `expires`. */
  readonly createdAt: number;
  readonly expires: number;
}

export interface ShareRecord extends ShareFacts {
  readonly streamIds: readonly string[];
}

/** The body of a kept document of kind `share`. */
export function shareBody({ streamIds, ...facts }: ShareRecord): string {
  return documentBody(facts, JSON.stringify(streamIds));
}

/** All but its streams, which may be many. */
export function shareFacts(item: Document): ShareFacts {
  return factsOf<ShareFacts>(item);
}

export function shareOf(item: Document): ShareRecord {
  return { ...shareFacts(item), streamIds: JSON.parse(restOf(item)) as string[] };
}
