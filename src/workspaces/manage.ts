import { defaultWorkspace, type Principal, type WorkspaceRecord } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { CatalogWriter } from '../store/store.ts';
import type { WorkspaceSettings } from '../wire/requests/admin-request.ts';

/** Makes, lists and removes workspaces on behalf of an admin. */
export interface Workspaces {
  /** All of them for the default workspace's admin, else the caller's own. Ordered by name. */
  list(principal: Principal): Promise<WorkspaceRecord[]>;
  /**
   * Makes a workspace; one that is there stays as it is, its settings too. `invalid_value` (400) for a name that cannot
   * stand in a host name.
   */
  create(principal: Principal, name: string, settings: WorkspaceSettings): Promise<WorkspaceRecord>;
  /** Makes a workspace or replaces its settings; a limit below what is there makes nothing go. */
  put(principal: Principal, name: string, settings: WorkspaceSettings): Promise<WorkspaceRecord>;
  /** Removes a workspace with its tokens and all of its data, for good; `workspace_not_found` (404). */
  remove(principal: Principal, name: string): Promise<void>;
}

export function createWorkspaces(store: CatalogWriter, now: () => number): Workspaces {
  const workspaceNow = async (name: string): Promise<WorkspaceRecord | undefined> => {
    await store.catalog.refresh();
    return store.catalog.workspace(name);
  };

  async function save(name: string, settings: WorkspaceSettings): Promise<WorkspaceRecord> {
    const createdAt = (await workspaceNow(name))?.createdAt;
    if (createdAt === undefined && !workspaceName.test(name)) {
      throw invalidName('must be 1 to 63 lowercase letters, digits and hyphens, with no hyphen at an end');
    }
    const workspace = { name, createdAt: createdAt ?? now(), ...settings };
    await store.append({ workspace: defaultWorkspace, changes: [{ type: 'workspace', workspace }] });
    return workspace;
  }

  return {
    async list(principal) {
      await store.catalog.refresh();
      const all = store.catalog.workspaces().filter(({ name }) => reaches(principal, name));
      return all.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async create(principal, name, settings) {
      requireDefaultAdmin(principal);
      return (await workspaceNow(name)) ?? (await save(name, settings));
    },

    async put(principal, name, settings) {
      requireDefaultAdmin(principal);
      return await save(name, settings);
    },

    async remove(principal, name) {
      requireDefaultAdmin(principal);
      if (name === defaultWorkspace) throw invalidName('is the default workspace, which stays');
      if ((await workspaceNow(name)) === undefined) throw workspaceNotFound(name);
      await store.append({ workspace: defaultWorkspace, changes: [{ type: 'removeWorkspace', name }] });
    },
  };
}

/** Tells whether a principal reaches a workspace: only the default workspace's people reach others. */
export function reaches(principal: Principal, workspace: string): boolean {
  return principal.workspace === workspace || principal.workspace === defaultWorkspace;
}

export function workspaceNotFound(name: string): PitwallError {
  return new PitwallError('workspace_not_found', { detail: `there is no workspace '${name}'` });
}

/** A label of a host name (RFC 1123), so that every workspace can have an address of its own. */
const workspaceName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function requireDefaultAdmin(principal: Principal): void {
  if (principal.workspace === defaultWorkspace) return;
  throw new PitwallError('forbidden', {
    detail: `only an admin of the workspace '${defaultWorkspace}' may do this`,
  });
}

function invalidName(message: string): PitwallError {
  return new PitwallError('invalid_value', { errors: [{ path: 'name', message }] });
}
