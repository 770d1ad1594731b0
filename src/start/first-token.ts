import type { TokenAdmin } from '../auth/token-admin.ts';
import { defaultWorkspace, type TokenRecord } from '../domain/principal.ts';
import type { Reader } from '../store/store.ts';

const name = 'first start';
const operator = { tokenId: name, workspace: defaultWorkspace, scopes: ['admin'] as const };

/** How long to wait after making a token: other nodes that started at once and saw none have made theirs by then. */
const settleMs = 2000;

export interface FirstToken {
  readonly id: string;
  readonly token: string;
  /** For a token that could not be shown: the next start makes another. */
  takeBack(): Promise<void>;
}

/**
 * The admin token for a store that has none, undefined where there is one. Of nodes that start at once, each makes one
 * and looks again; all but the one with the smallest id take theirs back, so that one is shown. Should a node be so
 * slow that it comes after that look, then two are shown, and both are good.
 *
 * To be called when nothing of the start can fail any more, or the token would be made and never shown.
 */
export async function makeFirstToken(
  { catalog }: Pick<Reader, 'catalog'>,
  tokens: TokenAdmin,
  settle: () => Promise<void> = () => new Promise((resolve) => setTimeout(resolve, settleMs)),
): Promise<FirstToken | undefined> {
  await catalog.refresh();
  if (catalog.tokens().length > 0) return undefined;
  const { token, record } = await tokens.create(operator, { scopes: ['admin'], name });
  const takeBack = (): Promise<void> => tokens.revoke(operator, record.id);
  const made = { id: record.id, token, takeBack };
  if (catalog.refresh() === undefined) return made;
  await settle();
  await catalog.refresh();
  const first = catalog.tokens().reduce(smaller, record);
  if (first.id === record.id) return made;
  await takeBack();
  return undefined;
}

function smaller(a: TokenRecord, b: TokenRecord): TokenRecord {
  return b.name === name && b.id < a.id ? b : a;
}
