import { readsStream, type SharedStreams } from '../../domain/shared-streams.ts';
import { type LiveEvent, liveEvent } from '../../live/live-event.ts';
import type { ActiveStream } from '../../live/models.ts';
import { JsonText, Sequence } from '../../live/sequence.ts';

/**
 * A live event as the token of a share is told of it; undefined where it is not of a shared stream. An event that does not
 * say which stream it is of is told to nobody who has such a token.
 */
export function sharedEvent(share: SharedStreams, event: LiveEvent): LiveEvent | undefined {
  const { place, target } = event;
  if (place === undefined || !readsStream(share, place.topic, place.streamId)) return undefined;
  if (target === 'ActiveStreamsChanged') {
    return liveEvent(target, () => {
      const [stream, change] = event.args as readonly [WithParents, string];
      return [sharedParents(share, stream), change];
    });
  }
  if (target !== 'PackageReceived') return event;
  const [model] = event.args as readonly [PackageModel];
  if (model.type !== 'StreamProperties') return event;
  const value = new JsonText(sharedParents(share, model.value.value as WithParents));
  return liveEvent(target, () => [{ ...model, value }]);
}

/** The active streams that are shared. */
export function sharedActiveStreams(share: SharedStreams, streams: Sequence): Sequence {
  return new Sequence(streams.length, (into, from, to) => {
    for (const [i, element] of streams.slice(from, to).entries()) {
      const stream = element as ActiveStream | undefined;
      const isShared = stream !== undefined && readsStream(share, stream.topicName, stream.streamId);
      into[i] = isShared ? sharedParents(share, stream) : undefined;
    }
  });
}

interface WithParents {
  readonly parents?: readonly string[];
}

interface PackageModel {
  readonly type: string;
  readonly value: JsonText;
}

/** Returns a stream without parents that are not shared. */
function sharedParents<Model extends WithParents>({ streamIds }: SharedStreams, model: Model): Model {
  const { parents } = model;
  return parents === undefined ? model : { ...model, parents: parents.filter((id) => streamIds.has(id)) };
}
