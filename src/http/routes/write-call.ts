import type { StreamCall, TopicCall, WriteCall } from '../../ingest/write-call.ts';
import type { Call } from '../route.ts';

/** Returns what the writer has to know of a request. */
export function writeCall({ principal, reservation, signal }: Call): WriteCall {
  return { workspace: principal.workspace, share: reservation, signal };
}

/** Returns what the writer has to know of a request whose address names a topic. */
export function topicCall({ principal, params, reservation, signal }: Call): TopicCall {
  const { workspace } = principal;
  return { workspace, topic: params['topic']!, share: reservation, signal };
}

/** Returns what the writer has to know of a request whose address names a stream. */
export function streamCall({ principal, params, reservation, signal }: Call): StreamCall {
  const { workspace } = principal;
  const { topic, streamId } = params;
  return { workspace, topic: topic!, streamId: streamId!, share: reservation, signal };
}
