import { PitwallError } from '../errors.ts';
import type { ServiceRegistry } from './catalog.ts';

/**
 * Throws `forbidden` (403) where a workspace is gone. To be called right before a change is appended: a request may
 * have waited, for its body too, and a late change must not bring a workspace back.
 */
export function requireWorkspace(catalog: Pick<ServiceRegistry, 'workspace'>, workspace: string): void {
  if (catalog.workspace(workspace) !== undefined) return;
  throw new PitwallError('forbidden', { detail: `the workspace '${workspace}' does not exist any more` });
}
