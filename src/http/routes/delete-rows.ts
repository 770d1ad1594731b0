import { encodeWarning, warningHeader } from '../../domain/warning.ts';
import { checkTagFilters } from '../../query/plan/tag-predicate.ts';
import type { Keeper, Reader } from '../../store/store.ts';
import { queryLimits } from '../../wire/json/json-memory.ts';
import { decodeRowDelete } from '../../wire/requests/row-delete.ts';
import { json, type Route, warnings } from '../route.ts';
import { deletedRows, rowDelete } from '../schemas/read-data.ts';
import { undeletableWarning } from '../unknown-parameters.ts';

/** Makes the routes that delete rows, the same call twice: some proxies drop the body of a DELETE. */
export function deleteRows(store: Keeper & Pick<Reader, 'catalog'>): Route[] {
  const route = {
    interface: 'query',
    scope: 'write',
    body: { schema: rowDelete, optional: false, limits: queryLimits },
    response: deletedRows,
    answerHeaders: warnings,
    async handle({ principal, body, reservation, signal }) {
      const { streamIds, topic, from, to, parameters, tagFilters = [] } = decodeRowDelete(body, reservation);
      checkTagFilters(tagFilters);
      const selection = { workspace: principal.workspace, streamIds, topic, from, to, tagFilters };
      const { catalog } = store;
      const kept = catalog.documents(principal.workspace, 'calculated', topic);
      const warning = await undeletableWarning(catalog, selection, parameters ?? [], kept, signal());
      const headers = warning === undefined ? {} : { [warningHeader]: encodeWarning(warning) };
      return { ...json({ deleted: await store.deleteRows(selection, parameters) }), headers };
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
