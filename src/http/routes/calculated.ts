import type { CalculatedKeeper } from '../../ingest/calculated-keeper.ts';
import { settingsLimits } from '../../wire/json/json-memory.ts';
import { done, json, type Route } from '../route.ts';
import { calculatedDefinitions } from '../schemas/calculated.ts';

/** The calculated parameters that a topic keeps: list, merge, remove. */
export function calculatedRoutes(keeper: CalculatedKeeper): Route[] {
  return [
    {
      method: 'GET',
      path: '/topics/:topic/calculated',
      interface: 'writer',
      scope: 'write',
      summary: 'List the calculated parameters that a topic keeps, in order of id',
      response: calculatedDefinitions,
      handle: async ({ principal, params }) => json(await keeper.list(principal.workspace, params['topic']!)),
    },
    {
      method: 'PUT',
      path: '/topics/:topic/calculated',
      interface: 'writer',
      scope: 'write',
      summary: 'Merge calculated parameters into those that a topic keeps',
      body: { schema: calculatedDefinitions, optional: false, limits: settingsLimits },
      async handle({ principal, params, body, reservation }) {
        await keeper.put(principal.workspace, params['topic']!, body, reservation);
        return done;
      },
    },
    {
      method: 'DELETE',
      path: '/topics/:topic/calculated/:id',
      interface: 'writer',
      scope: 'write',
      mayBeMissing: true,
      summary: 'Remove a calculated parameter of a topic',
      async handle({ principal, params }) {
        await keeper.remove(principal.workspace, params['topic']!, params['id']!);
        return done;
      },
    },
  ];
}
