import { stateOfBody } from '../alerts/stored-state.ts';
import { copiedKinds } from '../domain/document.ts';
import type { Principal } from '../domain/principal.ts';
import { shareOf } from '../domain/share.ts';
import { viewOf } from '../domain/view.ts';
import { PitwallError } from '../errors.ts';
import { definitionOf } from '../expression/definition.ts';
import type { CatalogWriter, Change } from '../store/store.ts';
import { checkDocumentBytes } from '../views/room.ts';
import type { WorkspaceTurns } from '../views/turns.ts';
import { fault } from '../wire/base/fault.ts';
import { decodeStoredRule } from '../wire/requests/alert-rule.ts';
import type {
  DocumentContent,
  TokenContent,
  WorkspaceContents,
} from '../wire/requests/workspace-contents.ts';
import { workspaceNotFound } from '../workspaces/manage.ts';

/** What a workspace keeps besides streams and rows, to be put into another service. */
export interface ContentsAdmin {
  /** Returns what a workspace keeps; rejects with `workspace_not_found` (404). */
  read(workspace: string): Promise<WorkspaceContents>;
  /**
   * Makes or replaces each of what is given, as one change; the rest stays. `invalid_value` (400) for a document that this
   * version does not understand and for a token whose id another one has, `forbidden` (403) for one that outlives the caller's.
   */
  put(principal: Principal, workspace: string, contents: WorkspaceContents): Promise<void>;
}

export function createContentsAdmin(store: CatalogWriter, turns: WorkspaceTurns): ContentsAdmin {
  const { catalog } = store;

  async function requireNow(workspace: string): Promise<void> {
    await catalog.refresh();
    if (catalog.workspace(workspace) === undefined) throw workspaceNotFound(workspace);
  }

  function checkToken(
    { expires: last }: Principal,
    workspace: string,
    token: TokenContent,
    path: string,
  ): void {
    const there = catalog.tokens().find(({ id }) => id === token.id) ?? catalog.tokenByHash(token.hash);
    const isSame = there?.id === token.id && there.hash === token.hash && there.workspace === workspace;
    if (there !== undefined && !isSame)
      throw fault('invalid_value', `${path}.id`, 'or its hash is that of another token');
    if (last === undefined || (token.expires !== undefined && token.expires <= last)) return;
    throw new PitwallError('forbidden', {
      detail: `this token ends at ${new Date(last).toISOString()}, and puts none that ends later, as ${path} does`,
    });
  }

  function checkRoom(workspace: string, documents: readonly DocumentContent[]): void {
    let more = 0;
    for (const { kind, topic, id, body } of documents) {
      if (kind !== 'view' && kind !== 'share') continue;
      more += body.length - (catalog.document(workspace, kind, topic, id)?.body.length ?? 0);
    }
    checkDocumentBytes(catalog, workspace, more);
  }

  return {
    async read(workspace) {
      await requireNow(workspace);
      return {
        tokens: catalog.tokens().filter((token) => token.workspace === workspace),
        topics: catalog.topicSettings(workspace),
        documents: copiedKinds.flatMap((kind) =>
          catalog.documents(workspace, kind).map(({ topic, id, body }) => ({ kind, topic, id, body })),
        ),
      };
    },

    put: (principal, workspace, { tokens, topics, documents }) =>
      turns.take(workspace, async () => {
        await requireNow(workspace);
        tokens.forEach((token, i) => {
          checkToken(principal, workspace, token, `tokens[${i}]`);
        });
        documents.forEach(checkDocument);
        checkRoom(workspace, documents);
        const changes: Change[] = [
          ...topics.map(({ name, retention }): Change => ({ type: 'topic', topic: name, retention })),
          ...tokens.map((token): Change => ({ type: 'token', token: { ...token, workspace } })),
          ...documents.map((one): Change => ({ type: 'keep', ...one })),
        ];
        if (changes.length > 0) await store.append({ workspace, changes });
      }),
  };
}

function checkDocument(document: DocumentContent, i: number): void {
  if (isUnderstood(document)) return;
  const { kind, id } = document;
  const message = `is no ${kind} that this version of Pitwall understands (of ${JSON.stringify(id)})`;
  throw fault('invalid_value', `documents[${i}].body`, message);
}

function isUnderstood(document: DocumentContent): boolean {
  const item = { ...document, updatedAt: 0 };
  const isOfTopic = !['view', 'share'].includes(document.kind);
  if (isOfTopic !== (document.topic !== undefined)) return false;
  try {
    switch (document.kind) {
      case 'calculated':
        return definitionOf(item) !== undefined;
      case 'view':
        return typeof viewOf(item).name === 'string' && JSON.parse(viewOf(item).state) !== undefined;
      case 'share':
        return (
          /^[0-9a-f]{64}$/.test(item.id) && shareOf(item).streamIds.every((id) => typeof id === 'string')
        );
      case 'alert':
        return decodeStoredRule(item.body).rule.name === item.id;
      case 'alertState':
        return stateOfBody(item.body) !== undefined;
    }
  } catch {
    return false;
  }
}
