import { checkTagFilters } from '../../query/plan/tag-predicate.ts';
import type { Keeper } from '../../store/store.ts';
import { queryLimits } from '../../wire/json/json-memory.ts';
import { decodeRowDelete } from '../../wire/requests/row-delete.ts';
import { json, type Route } from '../route.ts';
import { deletedRows, rowDelete } from '../schemas/read-data.ts';

/** Makes the routes that delete rows, the same call twice: some proxies drop the body of a DELETE. */
export function deleteRows(store: Keeper): Route[] {
  const route = {
    interface: 'query',
    scope: 'write',
    body: { schema: rowDelete, optional: false, limits: queryLimits },
    response: deletedRows,
    async handle({ principal, body, reservation }) {
      const { streamIds, topic, from, to, parameters, tagFilters = [] } = decodeRowDelete(body, reservation);
      checkTagFilters(tagFilters);
      const selection = { workspace: principal.workspace, streamIds, topic, from, to, tagFilters };
      return json({ deleted: await store.deleteRows(selection, parameters) });
    },
  } satisfies Partial<Route>;
  return [
    {
      ...route,
      method: 'DELETE',
      path: '/parameters/data',
      summary: 'Delete parameter data in a range of time, for good; events stay',
    },
    {
      ...route,
      method: 'POST',
      path: '/parameters/data/delete',
      summary: 'The same as DELETE /parameters/data',
    },
  ];
}
