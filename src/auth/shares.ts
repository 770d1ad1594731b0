import type { Document } from '../domain/document.ts';
import type { Principal } from '../domain/principal.ts';
import { type ShareFacts, shareFacts, shareOf } from '../domain/share.ts';
import type { SharedStreams } from '../domain/shared-streams.ts';
import { viewOf } from '../domain/view.ts';
import type { Documents, ServiceRegistry } from '../store/store.ts';
import { unauthorized } from './remembered-headers.ts';
import { hashToken } from './token.ts';

/** Of the catalogue, what tells whether a share holds. */
export type ShareCatalog = Pick<ServiceRegistry, 'tokenByHash' | 'workspaces'> & Pick<Documents, 'document'>;

/** A share and the workspace that it is of. */
export interface FoundShare {
  readonly workspace: string;
  readonly item: Document;
}

/** The share whose token has this hash. */
export function findShare(catalog: ShareCatalog, hash: string): FoundShare | undefined {
  for (const { name } of catalog.workspaces()) {
    const item = catalog.document(name, 'share', undefined, hash);
    if (item !== undefined) return { workspace: name, item };
  }
  return undefined;
}

/** Returns the proof by which a share knows the operator's own token. */
export function operatorProof(shareHash: string, operatorHash: string): string {
  return hashToken(`${shareHash} ${operatorHash}`);
}

/**
 * Why a share has ended; undefined where it holds.
 *
 * @param operatorHash of the operator's own token
 * @param now milliseconds since the Unix epoch
 */
export function whyEnded(
  catalog: Pick<ShareCatalog, 'document' | 'tokenByHash'>,
  { workspace, item }: FoundShare,
  operatorHash: string | undefined,
  now: number,
): string | undefined {
  const facts = shareFacts(item);
  const { expires, view, viewCreatedAt } = facts;
  if (expires <= now) return `this share expired at ${new Date(expires).toISOString()}`;
  const kept = catalog.document(workspace, 'view', undefined, view);
  if (kept === undefined || viewOf(kept).createdAt !== viewCreatedAt) return 'the view of this share is gone';
  if (!isMakerThere(catalog, item.id, facts, operatorHash, now))
    return 'the token that made this share has ended';
  return undefined;
}

/**
 * Returns the principal of a share's token. It has no scope: it may do what is open to shares, and nothing else. Throws
 * `unauthorized` (401) where the share has ended.
 *
 * @param operatorHash of the operator's own token
 * @param now milliseconds since the Unix epoch
 */
export function sharePrincipal(
  catalog: ShareCatalog,
  share: FoundShare,
  operatorHash: string | undefined,
  now: number,
): Principal {
  const reason = whyEnded(catalog, share, operatorHash, now);
  if (reason !== undefined) throw unauthorized(reason);
  const { workspace, item } = share;
  const { id, expires } = shareFacts(item);
  return { tokenId: id, workspace, scopes: [], expires, share: streamsOf(item) };
}

function isMakerThere(
  catalog: Pick<ShareCatalog, 'tokenByHash'>,
  hash: string,
  { maker, makerHash }: ShareFacts,
  operatorHash: string | undefined,
  now: number,
): boolean {
  if (maker === operatorTokenId)
    return operatorHash !== undefined && operatorProof(hash, operatorHash) === makerHash;
  const token = catalog.tokenByHash(makerHash);
  return token !== undefined && (token.expires === undefined || token.expires > now);
}

/** Stands for the id of the operator's own token, which is never stored. */
export const operatorTokenId = 'operator';

const known = new WeakMap<Document, SharedStreams>();

function streamsOf(item: Document): SharedStreams {
  let streams = known.get(item);
  if (streams === undefined) {
    const { view, topic, streamIds } = shareOf(item);
    streams = { view, topic, streamIds: new Set(streamIds) };
    known.set(item, streams);
  }
  return streams;
}
