import type { Writer } from '../../ingest/writer.ts';
import { integer64 } from '../../wire/requests/fields.ts';
import { type Route, warnings, written } from '../route.ts';
import { eventData, eventValue, timestampQuery } from '../schemas/written-data.ts';
import { streamCall } from './write-call.ts';

export function writeEventData(writer: Writer): Route {
  return {
    method: 'POST',
    path: '/topics/:topic/streams/:streamId/events/data',
    interface: 'writer',
    scope: 'write',
    summary: 'Write events into a stream, which comes into being if it does not exist',
    plain: true,
    body: { schema: eventData, optional: false },
    answerHeaders: warnings,
    async handle(call) {
      return written(await writer.eventData(streamCall(call), call.body));
    },
  };
}

/** Makes the route for what cannot make JSON: the body is the value of an event. */
export function writeEventValue(writer: Writer): Route {
  return {
    method: 'POST',
    path: '/topics/:topic/streams/:streamId/events/:eventId/value',
    interface: 'writer',
    scope: 'write',
    summary: 'Write one event whose value is the body, of any media type, as text: UTF-8 without a charset',
    body: { schema: eventValue, optional: true, anyType: true },
    query: timestampQuery,
    answerHeaders: warnings,
    async handle(call) {
      const timestamp = timestampOf(call.query['timestamp']);
      const { params, body, contentType } = call;
      const value = { body, timestamp, contentType };
      return written(await writer.eventValue(streamCall(call), params['eventId']!, value));
    },
  };
}

/** A parameter that stands twice in the address comes as an array, and is no timestamp. */
function timestampOf(given: unknown): bigint | undefined {
  if (given === undefined) return undefined;
  return integer64(typeof given === 'string' ? given : [], 'timestamp');
}
