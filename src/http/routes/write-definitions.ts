import type { Writer } from '../../ingest/writer.ts';
import { done, type Route } from '../route.ts';
import { eventDefinitions, parameterDefinitions } from '../schemas/written-data.ts';
import { streamCall } from './write-call.ts';

export function updateParametersRoute(writer: Writer): Route {
  return {
    method: 'PUT',
    path: '/topics/:topic/streams/:streamId/parameters',
    interface: 'writer',
    scope: 'write',
    summary: 'Merge definitions of parameters into those of the stream',
    body: { schema: parameterDefinitions, optional: false },
    async handle(call) {
      await writer.updateParameters(streamCall(call), call.body);
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
    async handle(call) {
      await writer.updateEvents(streamCall(call), call.body);
      return done;
    },
  };
}
