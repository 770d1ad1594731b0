import { namedByStateId } from './stored-state.ts';
import { namedByMessageId } from './webhook-message.ts';

/** What alert rules know of a stream, and have to tell of it, goes with the stream: the kinds, and what the id of each names. */
export const documentsOfStreams = [
  ['alertState', namedByStateId],
  ['webhookMessage', namedByMessageId],
] as const;
