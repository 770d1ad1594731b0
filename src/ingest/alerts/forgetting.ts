import { documentsOfStreams } from '../../alerts/documents-of-streams.ts';
import { messageOfBody } from '../../alerts/webhook-message.ts';
import type { StreamKey } from '../../domain/stream.ts';
import { foldTopic } from '../../domain/topic.ts';
import type { Change, Documents, StreamLookup } from '../../store/store.ts';
import { streamKey } from './stream-key.ts';

/** What is to be forgotten with a stream. */
interface Forgettable extends StreamKey {
  readonly change: Change;
  /** Whether it is of the stream that was removed, and not of one that has come into being since. */
  readonly isOld: boolean;
}

/** States that are forgotten in one record. */
const forgottenAtOnce = 500;

/** Streams and states that are looked at in one turn. */
const lookedAtOnce = 2000;

/**
 * The states of streams, which were removed for good, and what webhooks would tell of them: the changes that forget them, some at a
 * time; none where it is time for others.
 *
 * @param removedAt milliseconds since the Unix epoch
 */
export function* forgetting(
  catalog: StreamLookup & Documents,
  workspace: string,
  streams: Iterable<StreamKey>,
  removedAt: number,
): Generator<readonly Change[]> {
  if (catalog.documentCount(workspace, 'alertState') === 0) return;
  const removed = new Set<string>();
  let looked = 0;
  for (const { topic, streamId } of streams) {
    removed.add(streamKey(foldTopic(topic), streamId));
    if (++looked % lookedAtOnce === 0) yield [];
  }
  const found: Forgettable[] = [];
  // What comes into being again meanwhile has begun anew by itself. A store that cannot tell has forgotten with the stream.
  const changesOfGone = () =>
    found
      .splice(0)
      .filter(({ topic, streamId, isOld }) => isOld || catalog.isNew(workspace, topic, streamId) === true)
      .map(({ change }) => change);
  for (const [kind, named] of documentsOfStreams) {
    for (const { topic = '', id, body } of catalog.eachDocument(workspace, kind)) {
      if (++looked % lookedAtOnce === 0) yield [];
      const { streamId } = named(id);
      if (!removed.has(streamKey(foldTopic(topic), streamId))) continue;
      const isOld = kind === 'webhookMessage' && (messageOfBody(body)?.at ?? removedAt) < removedAt;
      found.push({ topic, streamId, isOld, change: { type: 'forget', kind, topic, id } });
      if (found.length === forgottenAtOnce) yield changesOfGone();
    }
  }
  yield changesOfGone();
}
