import type { Document } from '../domain/document.ts';
import { hasScope, type Principal } from '../domain/principal.ts';
import { type ShareFacts, type ShareRecord, shareBody, shareFacts, shareOf } from '../domain/share.ts';
import { viewOf } from '../domain/view.ts';
import { PitwallError } from '../errors.ts';
import type { CatalogWriter, Change } from '../store/store.ts';
import { sharesOfView } from '../views/kept-shares.ts';
import { checkDocumentBytes, hasRoom } from '../views/room.ts';
import type { WorkspaceTurns } from '../views/turns.ts';
import type { Views } from '../views/views.ts';
import type { ShareRequest } from '../wire/requests/view-request.ts';
import { operatorProof, operatorTokenId, whyEnded } from './shares.ts';
import { hashToken, makeToken, makeTokenId } from './token.ts';

/** Shares views: makes, lists and revokes tokens that read one view and its streams. */
export interface ShareAdmin {
  /**
   * Answers the token itself, this once. Throws `view_not_found` (404), `invalid_value` (400) for a view without topic or
   * streams and for an end in the past or more than 30 days away, and `too_many_views` (403) where the workspace has as
   * many shares as it may. A share ends with its maker's token at the latest.
   */
  create(
    principal: Principal,
    view: string,
    request: ShareRequest,
  ): Promise<{ token: string; record: ShareRecord }>;
  /** Those that have not ended, the oldest first. Throws `view_not_found` (404). */
  list(principal: Principal, view: string): Promise<readonly ShareRecord[]>;
  /** Revokes those that the caller has made, or as an admin all; resolves with their number. Throws `view_not_found` (404). */
  revokeAll(principal: Principal, view: string): Promise<number>;
  /** Throws `share_not_found` (404), and `forbidden` (403) for one that another token has made. */
  revoke(principal: Principal, view: string, id: string): Promise<void>;
}

const longestMs = 30 * 24 * 3_600_000;
/** The most shares of a workspace that have not ended. */
export const maxShares = 1000;

export interface ShareAdminParts {
  readonly store: CatalogWriter;
  readonly views: Pick<Views, 'get'>;
  readonly turns: WorkspaceTurns;
  readonly operatorToken: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export function createShareAdmin(parts: ShareAdminParts): ShareAdmin {
  return new Shares(parts);
}

class Shares implements ShareAdmin {
  readonly #parts: ShareAdminParts;
  readonly #operatorHash;

  constructor(parts: ShareAdminParts) {
    this.#parts = parts;
    this.#operatorHash = parts.operatorToken === undefined ? undefined : hashToken(parts.operatorToken);
  }

  create(
    principal: Principal,
    view: string,
    request: ShareRequest,
  ): Promise<{ token: string; record: ShareRecord }> {
    return this.#parts.turns.take(principal.workspace, async () => {
      const { workspace, tokenId } = principal;
      await this.#parts.store.catalog.refresh();
      const shared = viewOf(await this.#parts.views.get(workspace, view));
      const { topic, streamIds } = shared;
      if (topic === undefined) throw invalid('topic', 'is not set in the view: a share needs it');
      if (streamIds === undefined) throw invalid('streamIds', 'are not set in the view: a share needs them');
      const token = makeToken();
      const hash = hashToken(token);
      const record: ShareRecord = {
        id: makeTokenId(),
        view,
        viewCreatedAt: shared.createdAt,
        topic,
        streamIds,
        maker: tokenId,
        makerHash: this.#makerHash(principal, hash),
        createdAt: this.#parts.now(),
        expires: this.#endOf(principal, request),
      };
      const kept = this.#parts.store.catalog.documents(workspace, 'share');
      const ended = kept.filter((item) => this.#hasEnded(workspace, item));
      if (kept.length - ended.length >= maxShares) {
        throw new PitwallError('too_many_views', {
          detail: `the workspace '${workspace}' has ${maxShares} shares; revoke some first`,
        });
      }
      const body = shareBody(record);
      const { catalog } = this.#parts.store;
      // Where their room is needed, and not before: a clock that is ahead takes all for ended.
      const isFull = kept.length >= maxShares || !hasRoom(catalog, workspace, body.length);
      const forgotten = isFull ? ended.filter((item) => isOverForGood(item, this.#parts.now())) : [];
      checkDocumentBytes(catalog, workspace, body.length, forgotten);
      const change: Change = { type: 'keep', kind: 'share', topic: undefined, id: hash, body };
      await this.#parts.store.append({ workspace, changes: [...forgotten.map(forgetting), change] });
      return { token, record };
    });
  }

  async list(principal: Principal, view: string): Promise<readonly ShareRecord[]> {
    const records = (await this.#running(principal, view)).map(shareOf);
    return records.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  async revokeAll(principal: Principal, view: string): Promise<number> {
    const found = (await this.#running(principal, view)).filter((item) =>
      this.#mayRevoke(principal, shareFacts(item)),
    );
    if (found.length > 0)
      await this.#forget(
        principal.workspace,
        found.map(({ id }) => id),
      );
    return found.length;
  }

  async revoke(principal: Principal, view: string, id: string): Promise<void> {
    const found = (await this.#running(principal, view)).find((item) => shareFacts(item).id === id);
    if (found === undefined) {
      throw new PitwallError('share_not_found', { detail: `there is no share with the id '${id}'` });
    }
    if (!this.#mayRevoke(principal, shareFacts(found))) {
      throw new PitwallError('forbidden', {
        detail: 'another token made the share; its maker or an admin may revoke it',
      });
    }
    await this.#forget(principal.workspace, [found.id]);
  }

  #hasEnded(workspace: string, item: Document): boolean {
    return (
      whyEnded(this.#parts.store.catalog, { workspace, item }, this.#operatorHash, this.#parts.now()) !==
      undefined
    );
  }

  async #running({ workspace }: Principal, view: string) {
    await this.#parts.store.catalog.refresh();
    await this.#parts.views.get(workspace, view);
    return sharesOfView(this.#parts.store.catalog, workspace, view).filter(
      (item) => !this.#hasEnded(workspace, item),
    );
  }

  #forget(workspace: string, hashes: readonly string[]): Promise<void> {
    return this.#parts.store.append({
      workspace,
      changes: hashes.map((id) => forgetting({ id })),
    });
  }

  #mayRevoke(principal: Principal, { maker }: ShareFacts): boolean {
    return maker === principal.tokenId || hasScope(principal, 'admin');
  }

  #makerHash({ tokenId }: Principal, shareHash: string): string {
    if (tokenId === operatorTokenId && this.#operatorHash !== undefined)
      return operatorProof(shareHash, this.#operatorHash);
    const record = this.#parts.store.catalog.tokens().find(({ id }) => id === tokenId);
    if (record !== undefined) return record.hash;
    throw new PitwallError('unauthorized', { detail: 'this token is not known; it may have been revoked' });
  }

  #endOf({ expires: last }: Principal, { expires = this.#parts.now() + longestMs }: ShareRequest): number {
    if (expires <= this.#parts.now()) throw invalid('expires', 'is in the past');
    if (expires > this.#parts.now() + longestMs) throw invalid('expires', 'is more than 30 days away');
    return last === undefined ? expires : Math.min(last, expires);
  }
}

/** Of a share that has ended: the operator's own token may be set again at the next start, any other end is for good. */
function isOverForGood(item: Document, now: number): boolean {
  const { maker, expires } = shareFacts(item);
  return expires <= now || maker !== operatorTokenId;
}

function forgetting({ id }: Pick<Document, 'id'>): Change {
  return { type: 'forget', kind: 'share', topic: undefined, id };
}

function invalid(path: string, message: string): PitwallError {
  return new PitwallError('invalid_value', { errors: [{ path, message }] });
}
