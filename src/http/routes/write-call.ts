import type { Warn } from '../../domain/warning.ts';
import type { Door } from '../../ingest/doors.ts';
import type { StreamCall, TopicCall, WriteCall } from '../../ingest/write-call.ts';
import type { Call } from '../route.ts';

/** Returns what the writer has to know of a request. */
export function writeCall({ principal, reservation, signal }: Call, warn?: Warn): WriteCall {
  return { workspace: principal.workspace, share: reservation, signal, warn };
}

/** Returns what the writer has to know of a request whose address names a topic. */
export function topicCall({ principal, params, reservation, signal }: Call, warn?: Warn): TopicCall {
  const { workspace } = principal;
  return { workspace, topic: params['topic']!, share: reservation, signal, warn };
}

/** Returns what the writer has to know of a request whose address names a stream. */
export function streamCall({ principal, params, reservation, signal }: Call, warn?: Warn): StreamCall {
  const { workspace } = principal;
  const { topic, streamId } = params;
  return { workspace, topic: topic!, streamId: streamId!, share: reservation, signal, warn };
}

/** What the writer has to know of what comes through a door, and what it has warned of, which the door is told too. */
export function heardCall(
  call: Call,
  door: Pick<Door, 'doubted'>,
): { readonly call: WriteCall; warning(): string | undefined } {
  let warning: string | undefined;
  const heard = writeCall(call, (text) => {
    warning = text;
    door.doubted(text);
  });
  return { call: heard, warning: () => warning };
}
