import type { KeptItem } from '../domain/kept.ts';
import { hasScope, type Principal } from '../domain/principal.ts';
import { type ShareFacts, type ShareRecord, shareBody, shareFacts, shareOf } from '../domain/share.ts';
import { viewOf } from '../domain/view.ts';
import { PitwallError } from '../errors.ts';
import type { Change, Store } from '../store/store.ts';
import { sharesOfView } from '../views/kept-shares.ts';
import { checkKeptBytes } from '../views/room.ts';
import type { WorkspaceTurns } from '../views/turns.ts';
import type { Views } from '../views/views.ts';
import type { ShareRequest } from '../wire/view-request.ts';
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
/** Shares of a workspace that have not ended. */
export const maxShares = 1000;

export interface ShareAdminParts {
  readonly store: Store;
  readonly views: Pick<Views, 'get'>;
  readonly turns: WorkspaceTurns;
  readonly operatorToken: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export function createShareAdmin({ store, views, turns, operatorToken, now }: ShareAdminParts): ShareAdmin {
  const { catalog } = store;
  const operatorHash = operatorToken === undefined ? undefined : hashToken(operatorToken);

  const hasEnded = (workspace: string, item: KeptItem): boolean =>
    whyEnded(catalog, { workspace, item }, operatorHash, now()) !== undefined;

  const running = async ({ workspace }: Principal, view: string) => {
    await catalog.refresh();
    await views.get(workspace, view);
    return sharesOfView(catalog, workspace, view).filter((item) => !hasEnded(workspace, item));
  };

  const forget = (workspace: string, hashes: readonly string[]): Promise<void> =>
    store.append({
      workspace,
      changes: hashes.map((id): Change => ({ type: 'forget', kind: 'share', topic: undefined, id })),
    });

  const mayRevoke = (principal: Principal, { maker }: ShareFacts): boolean =>
    maker === principal.tokenId || hasScope(principal, 'admin');

  return {
    create: (principal, view, request) =>
      turns.take(principal.workspace, async () => {
        const { workspace, tokenId } = principal;
        await catalog.refresh();
        const shared = viewOf(await views.get(workspace, view));
        const { topic, streamIds } = shared;
        if (topic === undefined) throw invalid('topic', 'is not set in the view: a share needs it');
        if (streamIds === undefined)
          throw invalid('streamIds', 'are not set in the view: a share needs them');
        const token = makeToken();
        const hash = hashToken(token);
        const record: ShareRecord = {
          id: makeTokenId(),
          view,
          viewCreatedAt: shared.createdAt,
          topic,
          streamIds,
          maker: tokenId,
          makerHash: makerHash(principal, hash),
          createdAt: now(),
          expires: endOf(principal, request),
        };
        const kept = catalog.kept(workspace, 'share');
        const ended = kept.filter((item) => hasEnded(workspace, item));
        if (kept.length - ended.length >= maxShares) {
          throw new PitwallError('too_many_views', {
            detail: `the workspace '${workspace}' has ${maxShares} shares; revoke some first`,
          });
        }
        const body = shareBody(record);
        checkKeptBytes(catalog, workspace, body.length);
        const forgotten = ended
          .filter((item) => isOverForGood(item, now()))
          .map(({ id }): Change => ({ type: 'forget', kind: 'share', topic: undefined, id }));
        const change: Change = { type: 'keep', kind: 'share', topic: undefined, id: hash, body };
        await store.append({ workspace, changes: [...forgotten, change] });
        return { token, record };
      }),

    async list(principal, view) {
      const records = (await running(principal, view)).map(shareOf);
      return records.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    },

    async revokeAll(principal, view) {
      const found = (await running(principal, view)).filter((item) => mayRevoke(principal, shareFacts(item)));
      if (found.length > 0)
        await forget(
          principal.workspace,
          found.map(({ id }) => id),
        );
      return found.length;
    },

    async revoke(principal, view, id) {
      const found = (await running(principal, view)).find((item) => shareFacts(item).id === id);
      if (found === undefined) {
        throw new PitwallError('share_not_found', { detail: `there is no share with the id '${id}'` });
      }
      if (!mayRevoke(principal, shareFacts(found))) {
        throw new PitwallError('forbidden', {
          detail: 'another token made the share; its maker or an admin may revoke it',
        });
      }
      await forget(principal.workspace, [found.id]);
    },
  };

  function makerHash({ tokenId }: Principal, shareHash: string): string {
    if (tokenId === operatorTokenId && operatorHash !== undefined)
      return operatorProof(shareHash, operatorHash);
    const record = catalog.tokens().find(({ id }) => id === tokenId);
    if (record !== undefined) return record.hash;
    throw new PitwallError('unauthorized', { detail: 'this token is not known; it may have been revoked' });
  }

  function endOf({ expires: last }: Principal, { expires = now() + longestMs }: ShareRequest): number {
    if (expires <= now()) throw invalid('expires', 'is in the past');
    if (expires > now() + longestMs) throw invalid('expires', 'is more than 30 days away');
    return last === undefined ? expires : Math.min(last, expires);
  }
}

/** Of a share that has ended: the operator's own token may be set again at the next start, any other end is for good. */
function isOverForGood(item: KeptItem, now: number): boolean {
  const { maker, expires } = shareFacts(item);
  return expires <= now || maker !== operatorTokenId;
}

function invalid(path: string, message: string): PitwallError {
  return new PitwallError('invalid_value', { errors: [{ path, message }] });
}
