import type { Writer } from '../../ingest/writer.ts';
import { type Route, warnings, written } from '../route.ts';
import { parameterData, parameterDataBatch } from '../schemas/written-data.ts';
import { streamCall, topicCall } from './write-call.ts';

/** The hot path: rows for one stream. */
export function writeParameterData(writer: Writer): Route {
  return {
    method: 'POST',
    path: '/topics/:topic/streams/:streamId/parameters/data',
    interface: 'writer',
    scope: 'write',
    summary: 'Write parameter data into a stream, which comes into being if it does not exist',
    plain: true,
    body: { schema: parameterData, optional: false },
    answerHeaders: warnings,
    async handle(call) {
      return written(await writer.parameterData(streamCall(call), call.body));
    },
  };
}

/** Rows for several streams of a topic, applied whole or not at all. */
export function writeParameterDataBatch(writer: Writer): Route {
  return {
    method: 'POST',
    path: '/topics/:topic/parameters/data',
    interface: 'writer',
    scope: 'write',
    summary: 'Write parameter data into several streams of a topic at once',
    plain: true,
    body: { schema: parameterDataBatch, optional: false },
    answerHeaders: warnings,
    async handle(call) {
      return written(await writer.parameterDataBatch(topicCall(call), call.body));
    },
  };
}
