import type { Writer } from '../../ingest/writer.ts';
import { settingsLimits } from '../../wire/json/json-memory.ts';
import { done, json, type Route } from '../route.ts';
import { closeStream, createdStream, createStream, streamProperties } from '../schemas/streams.ts';
import { streamCall, topicCall } from './write-call.ts';

export function createStreamRoute(writer: Writer): Route {
  return {
    method: 'POST',
    path: '/topics/:topic/streams',
    interface: 'writer',
    scope: 'write',
    summary: 'Make a stream; with a streamId of your own a repeat is harmless',
    body: { schema: createStream, optional: true, limits: settingsLimits },
    response: createdStream,
    async handle(call) {
      return json({ streamId: await writer.createStream(topicCall(call), call.body) });
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
    async handle(call) {
      await writer.updateStream(streamCall(call), call.body);
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
    async handle(call) {
      await writer.closeStream(streamCall(call), call.body);
      return done;
    },
  };
}
