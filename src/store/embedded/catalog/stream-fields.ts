import type { Status, Stream } from '../../../domain/stream.ts';
import type { CatalogState } from './catalog-state.ts';
import { visibleExtent } from './retention.ts';

/** The fields of a stream as clients see them. Statuses are as of `now` (ms). */
export function statusOf(
  state: CatalogState,
  stream: number,
  now: number,
  interruptedAfterMs: number,
): Status {
  const { rows } = state.streams;
  if (rows.softDeleted[stream] === true) return 'SoftDeleted';
  const ended = rows.ended[stream];
  if (ended !== undefined) return ended;
  // A write that is far in the future was before the clock was set back.
  return Math.abs(now - rows.lastWrite[stream]!) > interruptedAfterMs ? 'Interrupted' : 'Open';
}

export function nameOf(state: CatalogState, stream: number): string {
  return state.streams.rows.properties[stream]?.name ?? state.streams.id(stream);
}

export function topicOf(state: CatalogState, stream: number): string {
  return state.topics[state.streams.topic(stream)]!.name;
}

export function locationOf(state: CatalogState, stream: number): string {
  return state.streams.rows.properties[stream]?.location ?? '/';
}

export function toStream(state: CatalogState, stream: number, status: Status): Stream {
  const { streams } = state;
  const { rows } = streams;
  const properties = rows.properties[stream];
  const data = visibleExtent(state, stream);
  return {
    streamId: streams.id(stream),
    name: nameOf(state, stream),
    topic: topicOf(state, stream),
    createdAt: rows.createdAt[stream]!,
    lastUpdate: rows.lastUpdate[stream]!,
    timeOfRecording: properties?.timeOfRecording,
    dataStart: data?.first,
    dataEnd: data?.last,
    status,
    metadata: properties?.metadata ?? {},
    parents: properties?.parents ?? [],
    location: locationOf(state, stream),
  };
}
