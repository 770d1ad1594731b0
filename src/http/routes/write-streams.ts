import type { Writer } from '../../ingest/writer.ts';
import { settingsLimits } from '../../wire/json-memory.ts';
import { done, json, type Route } from '../route.ts';
import { closeStream, createdStream, createStream, streamProperties } from '../schemas/streams.ts';

export function createStreamRoute(writer: Writer): Route {
  return {
    method: 'POST',
    path: '/topics/:topic/streams',
    interface: 'writer',
    scope: 'write',
    summary: 'Make a stream; with a streamId of your own a repeat is harmless',
    body: { schema: createStream, optional: true, limits: settingsLimits },
    response: createdStream,
    async handle({ principal, params, body, reservation }) {
      return json({
        streamId: await writer.createStream(principal.workspace, params['topic']!, body, reservation),
      });
    },
  };
}

export function updateStreamRoute(writer: Writer): Route {
  return {
    method: 'PUT',
    path: '/topics/:topic/streams/:streamId',
    interface: 'writer',
    scope: 'write',
    summary: 'Replace the properties of a stream, which comes into being if it does not exist',
    body: { schema: streamProperties, optional: true, limits: settingsLimits },
    async handle({ principal, params, body, reservation }) {
      await writer.updateStream(
        principal.workspace,
        params['topic']!,
        params['streamId']!,
        body,
        reservation,
      );
      return done;
    },
  };
}

export function closeStreamRoute(writer: Writer): Route {
  return {
    method: 'POST',
    path: '/topics/:topic/streams/:streamId/close',
    interface: 'writer',
    scope: 'write',
    summary: 'Close a stream; the next write opens it again',
    body: { schema: closeStream, optional: true, limits: settingsLimits },
    async handle({ principal, params, body, reservation }) {
      await writer.closeStream(principal.workspace, params['topic']!, params['streamId']!, body, reservation);
      return done;
    },
  };
}
