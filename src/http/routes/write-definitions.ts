import type { Writer } from '../../ingest/writer.ts';
import { done, type Route } from '../route.ts';
import { eventDefinitions, parameterDefinitions } from '../schemas/written-data.ts';

export function updateParametersRoute(writer: Writer): Route {
  return {
    method: 'PUT',
    path: '/topics/:topic/streams/:streamId/parameters',
    interface: 'writer',
    scope: 'write',
    summary: 'Merge definitions of parameters into those of the stream',
    body: { schema: parameterDefinitions, optional: false },
    async handle({ principal, params, body, reservation, signal }) {
      await writer.updateParameters(
        principal.workspace,
        params['topic']!,
        params['streamId']!,
        body,
        reservation,
        signal,
      );
      return done;
    },
  };
}

export function updateEventsRoute(writer: Writer): Route {
  return {
    method: 'PUT',
    path: '/topics/:topic/streams/:streamId/events',
    interface: 'writer',
    scope: 'write',
    summary: 'Merge definitions of events into those of the stream',
    body: { schema: eventDefinitions, optional: false },
    async handle({ principal, params, body, reservation, signal }) {
      await writer.updateEvents(
        principal.workspace,
        params['topic']!,
        params['streamId']!,
        body,
        reservation,
        signal,
      );
      return done;
    },
  };
}
