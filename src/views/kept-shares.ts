import type { KeptItem } from '../domain/kept.ts';
import { shareFacts } from '../domain/share.ts';
import type { Documents } from '../store/store.ts';

export function sharesOfView(
  catalog: Pick<Documents, 'kept'>,
  workspace: string,
  view: string,
): readonly KeptItem[] {
  return catalog.kept(workspace, 'share').filter((item) => shareFacts(item).view === view);
}
