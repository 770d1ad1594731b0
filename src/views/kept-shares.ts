import type { Document } from '../domain/document.ts';
import { shareFacts } from '../domain/share.ts';
import type { Documents } from '../store/store.ts';

export function sharesOfView(
  catalog: Pick<Documents, 'documents'>,
  workspace: string,
  view: string,
): readonly Document[] {
  return catalog.documents(workspace, 'share').filter((item) => shareFacts(item).view === view);
}
