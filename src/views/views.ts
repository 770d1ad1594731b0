import type { Document } from '../domain/document.ts';
import { viewBody, viewOf } from '../domain/view.ts';
import { PitwallError } from '../errors.ts';
import { requireWorkspace } from '../store/require-workspace.ts';
import type { CatalogWriter, Change } from '../store/store.ts';
import type { ViewRequest } from '../wire/requests/view-request.ts';
import { checkPreconditions, type Preconditions } from './etag.ts';
import { sharesOfView } from './kept-shares.ts';
import { checkDocumentBytes } from './room.ts';
import type { WorkspaceTurns } from './turns.ts';

/** Reads and changes the views of a workspace. A view is the kept document; `viewOf` opens it. */
export interface Views {
  /** Returns the views of a workspace, in order of id. */
  list(workspace: string): Promise<readonly Document[]>;
  /** Throws `view_not_found` (404). */
  get(workspace: string, id: string): Promise<Document>;
  /**
   * Makes or replaces a view. Throws `precondition_failed` (412), and `too_many_views` (403) where the workspace has as
   * many as it may, or its views and shares have as many characters as they may; `forbidden` (403) where the workspace is gone.
   */
  put(workspace: string, id: string, view: ViewRequest, terms: Preconditions): Promise<Document>;
  /** Removes a view with its shares. Throws `view_not_found` (404) and `precondition_failed` (412). */
  remove(workspace: string, id: string, terms: Preconditions): Promise<void>;
}

export const maxViews = 10_000;

export function createViews(store: CatalogWriter, turns: WorkspaceTurns, now: () => number): Views {
  const { catalog } = store;
  const find = (workspace: string, id: string) => catalog.document(workspace, 'view', undefined, id);

  return {
    async list(workspace) {
      await catalog.refresh();
      return catalog.documents(workspace, 'view');
    },

    async get(workspace, id) {
      if (find(workspace, id) === undefined) await catalog.refresh();
      return find(workspace, id) ?? notThere(id);
    },

    put: (workspace, id, { state, ...view }, terms) =>
      turns.take(workspace, async () => {
        await catalog.refresh();
        const before = find(workspace, id);
        checkPreconditions(terms, before);
        if (before === undefined && catalog.documents(workspace, 'view').length >= maxViews) {
          throw new PitwallError('too_many_views', {
            detail: `the workspace '${workspace}' has ${maxViews} views; delete some first`,
          });
        }
        const createdAt = before === undefined ? now() : viewOf(before).createdAt;
        const body = viewBody({ ...view, createdAt }, state);
        checkDocumentBytes(catalog, workspace, body.length - (before?.body.length ?? 0));
        requireWorkspace(catalog, workspace);
        const change: Change = { type: 'keep', kind: 'view', topic: undefined, id, body };
        await store.append({ workspace, changes: [change] });
        return find(workspace, id) ?? notThere(id);
      }),

    remove: (workspace, id, terms) =>
      turns.take(workspace, async () => {
        await catalog.refresh();
        const view = find(workspace, id);
        checkPreconditions(terms, view);
        if (view === undefined) notThere(id);
        const shares = sharesOfView(catalog, workspace, id);
        await store.append({
          workspace,
          changes: [
            { type: 'forget', kind: 'view', topic: undefined, id },
            ...shares.map(
              (item): Change => ({ type: 'forget', kind: 'share', topic: undefined, id: item.id }),
            ),
          ],
        });
      }),
  };
}

function notThere(id: string): never {
  throw new PitwallError('view_not_found', { detail: `there is no view with the id '${id}'` });
}
