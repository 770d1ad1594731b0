import { requireOperator } from '../../auth/authenticate.ts';
import type { KeptAdmin } from '../../auth/kept-admin.ts';
import { queryLimits } from '../../wire/json-memory.ts';
import { decodeWorkspaceKept, encodeWorkspaceKept } from '../../wire/workspace-kept.ts';
import { done, type Route } from '../route.ts';
import { workspaceKept } from '../schemas/service.ts';

const path = '/admin/workspaces/:name/kept';
const what = 'what a workspace keeps, hashes of tokens too, is';

export function readKept(kept: KeptAdmin): Route {
  return {
    method: 'GET',
    path,
    interface: 'admin',
    scope: 'admin',
    mayBeMissing: true,
    summary: 'What a workspace keeps besides streams and rows, with hashes of tokens, for another service',
    response: workspaceKept,
    async handle({ principal, params }) {
      requireOperator(principal, what);
      const found = await kept.read(params['name']!);
      return { type: 'application/json; charset=utf-8', chunks: encodeWorkspaceKept(found) };
    },
  };
}

export function putKept(kept: KeptAdmin): Route {
  return {
    method: 'PUT',
    path,
    interface: 'admin',
    scope: 'admin',
    mayBeMissing: true,
    summary: 'Put what a workspace of another service keeps; what is there besides stays',
    body: { schema: workspaceKept, optional: false, limits: queryLimits },
    async handle({ principal, params, body, reservation }) {
      requireOperator(principal, what);
      await kept.put(principal, params['name']!, decodeWorkspaceKept(body, reservation));
      return done;
    },
  };
}
