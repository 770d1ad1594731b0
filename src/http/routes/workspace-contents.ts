import { requireOperator } from '../../auth/authenticate.ts';
import type { ContentsAdmin } from '../../auth/contents-admin.ts';
import { queryLimits } from '../../wire/json/json-memory.ts';
import { decodeWorkspaceContents, encodeWorkspaceContents } from '../../wire/requests/workspace-contents.ts';
import { done, type Route } from '../route.ts';
import { workspaceContents } from '../schemas/service.ts';

const path = '/admin/workspaces/:name/contents';
const what = 'what a workspace keeps, hashes of tokens too, is';

export function readContents(contents: ContentsAdmin): Route {
  return {
    method: 'GET',
    path,
    interface: 'admin',
    scope: 'admin',
    mayBeMissing: true,
    summary: 'What a workspace keeps besides streams and rows, with hashes of tokens, for another service',
    response: workspaceContents,
    async handle({ principal, params }) {
      requireOperator(principal, what);
      const found = await contents.read(params['name']!);
      return { type: 'application/json; charset=utf-8', chunks: encodeWorkspaceContents(found) };
    },
  };
}

export function putContents(contents: ContentsAdmin): Route {
  return {
    method: 'PUT',
    path,
    interface: 'admin',
    scope: 'admin',
    mayBeMissing: true,
    summary: 'Put what a workspace of another service keeps; what is there besides stays',
    body: { schema: workspaceContents, optional: false, limits: queryLimits },
    async handle({ principal, params, body, reservation }) {
      requireOperator(principal, what);
      await contents.put(principal, params['name']!, decodeWorkspaceContents(body, reservation));
      return done;
    },
  };
}
