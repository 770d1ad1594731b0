import { createLive, type Live, type LiveOptions } from './live.ts';
import { type ReadCalls, readCalls } from './read-calls.ts';
import type { ReplayOptions, ReplayResult } from './replay/replay-options.ts';
import { type StreamCalls, streamCalls } from './stream-calls.ts';
import { type TopicCalls, topicCalls } from './topic-calls.ts';
import { type ClientOptions, createTransport } from './transport.ts';
import { type ViewCalls, viewCalls } from './views.ts';
import { createWriter, type Writer, type WriterOptions } from './writer.ts';

export type * from './alert-models.ts';
export type { Retry } from './backoff.ts';
export type * from './live.ts';
export { TooSlow } from './live-queue.ts';
export type * from './models.ts';
export type { Page } from './read-calls.ts';
export type {
  ReplayOptions,
  ReplayProgress,
  ReplayResult,
  ReplayTimes,
} from './replay/replay-options.ts';
export { RequestError, type RequestFault } from './request-error.ts';
export type { ClientOptions, RequestOptions } from './transport.ts';
export type * from './views.ts';
export {
  BufferFull,
  type Row,
  RowsGivenUp,
  RowsRejected,
  type WhenFull,
  type Writer,
  type WriterOptions,
} from './writer.ts';

/**
 * A client of the service over HTTP. Methods reject with RequestError where the service refuses, and try again by
 * themselves where it is in trouble: every call is safe to repeat.
 */
export interface Client extends ReadCalls, StreamCalls, TopicCalls, ViewCalls {
  readonly url: string;
  /** A writer that gathers single rows to requests. */
  writer(topic: string, options?: WriterOptions): Writer;
  /**
   * Writes rows and events of a stream to another one at the pace of their times, so that readers of live data see them.
   * Resolves when the source is at its end, or `signal` has aborted; the target is closed then.
   */
  replay(options: ReplayOptions): Promise<ReplayResult>;
  /** Live data through the hub; needs the package `@microsoft/signalr`. */
  live(options?: LiveOptions): Live;
}

export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  const client: Client = {
    ...readCalls(transport),
    ...streamCalls(transport),
    ...topicCalls(transport),
    ...viewCalls(transport),
    url: transport.url,
    writer: (topic, settings) => createWriter(transport, topic, settings),
    async replay(settings) {
      const { replay } = await import('./replay/replay.ts');
      return replay(client, settings);
    },
    live: (settings) => createLive(transport, settings),
  };
  return client;
}
