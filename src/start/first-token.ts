import type { TokenAdmin } from '../auth/token-admin.ts';
import { defaultWorkspace, type TokenRecord } from '../domain/principal.ts';
import type { Store } from '../store/store.ts';

const name = 'first start';
const operator = { tokenId: name, workspace: defaultWorkspace, scopes: ['admin'] as const };

/** Whoever saw no token has by then made its own, where several nodes start at once. */
const settleMs = 2000;

/**
 * The admin token for a store that has none, undefined where there is one. Of nodes that start at once, each makes one
 * and looks again; all but the one with the smallest id take theirs back, so that one is shown. Should a node be so
 * slow that it comes after that look, then two are shown, and both are good.
 *
 * To be called when nothing of the start can fail any more, or the token would be made and never shown.
 */
export async function makeFirstToken(
  { catalog }: Pick<Store, 'catalog'>,
  tokens: TokenAdmin,
  settle: () => Promise<void> = () => new Promise((resolve) => setTimeout(resolve, settleMs)),
): Promise<string | undefined> {
  await catalog.refresh();
  if (catalog.tokens().length > 0) return undefined;
  const { token, record } = await tokens.create(operator, { scopes: ['admin'], name });
  if (catalog.refresh() === undefined) return token;
  await settle();
  await catalog.refresh();
  const first = catalog.tokens().reduce(smaller, record);
  if (first.id === record.id) return token;
  await tokens.revoke(operator, record.id);
  return undefined;
}

function smaller(a: TokenRecord, b: TokenRecord): TokenRecord {
  return b.name === name && b.id < a.id ? b : a;
}
