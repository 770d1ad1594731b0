import type { WorkspaceRecord } from '../../domain/principal.ts';
import { isoFromMillis } from '../../domain/timestamp.ts';
import { settingsLimits } from '../../wire/json/json-memory.ts';
import { decodeWorkspaceRequest, decodeWorkspaceSettings } from '../../wire/requests/admin-request.ts';
import { writeAge } from '../../wire/requests/age.ts';
import type { Workspaces } from '../../workspaces/manage.ts';
import { done, json, type Route } from '../route.ts';
import { workspace, workspaceList, workspaceRequest, workspaceSettings } from '../schemas/service.ts';

export function listWorkspaces(workspaces: Workspaces): Route {
  return {
    method: 'GET',
    path: '/admin/workspaces',
    interface: 'admin',
    scope: 'admin',
    summary: 'List workspaces: all for an admin of the default workspace, else the own one',
    response: workspaceList,
    handle: async ({ principal }) => json((await workspaces.list(principal)).map(shown)),
  };
}

export function createWorkspace(workspaces: Workspaces): Route {
  return {
    method: 'POST',
    path: '/admin/workspaces',
    interface: 'admin',
    scope: 'admin',
    summary: 'Make a workspace; a repeat changes nothing',
    body: { schema: workspaceRequest, optional: false, limits: settingsLimits },
    response: workspace,
    async handle({ principal, body, reservation }) {
      const { name, ...settings } = decodeWorkspaceRequest(body, reservation);
      return json(shown(await workspaces.create(principal, name, settings)));
    },
  };
}

export function putWorkspace(workspaces: Workspaces): Route {
  return {
    method: 'PUT',
    path: '/admin/workspaces/:name',
    interface: 'admin',
    scope: 'admin',
    summary: 'Make a workspace or replace its settings',
    body: { schema: workspaceSettings, optional: true, limits: settingsLimits },
    response: workspace,
    async handle({ principal, params, body, reservation }) {
      const settings = decodeWorkspaceSettings(body, reservation);
      return json(shown(await workspaces.put(principal, params['name']!, settings)));
    },
  };
}

export function removeWorkspace(workspaces: Workspaces): Route {
  return {
    method: 'DELETE',
    path: '/admin/workspaces/:name',
    interface: 'admin',
    scope: 'admin',
    mayBeMissing: true,
    summary: 'Remove a workspace with its tokens, streams and rows, for good',
    async handle({ principal, params }) {
      await workspaces.remove(principal, params['name']!);
      return done;
    },
  };
}

function shown({ name, createdAt, retention, maxStreams, maxBytes }: WorkspaceRecord) {
  const age = retention === undefined ? undefined : writeAge(retention);
  return { name, createdAt: isoFromMillis(createdAt), retention: age, maxStreams, maxBytes };
}
