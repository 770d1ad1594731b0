import type { Writer } from '../../ingest/writer.ts';
import { settingsLimits } from '../../wire/json/json-memory.ts';
import { done, type Route } from '../route.ts';
import { topicSettings } from '../schemas/read-data.ts';
import { topicCall } from './write-call.ts';

export function putTopic(writer: Writer): Route {
  return {
    method: 'PUT',
    path: '/topics/:topic',
    interface: 'writer',
    scope: 'admin',
    summary: 'Replace the settings of a topic, which comes into being if it does not exist',
    body: { schema: topicSettings, optional: true, limits: settingsLimits },
    async handle(call) {
      await writer.updateTopic(topicCall(call), call.body);
      return done;
    },
  };
}
