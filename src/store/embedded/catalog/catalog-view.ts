import { paceReads } from '../../../query/bounds/pace.ts';
import { neverAborted } from '../../../turns/pace.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { Answer, Catalog, Listings } from '../../store.ts';
import { type CatalogState, findStream, findTopic, isNewStream } from './catalog-state.ts';
import { listEvents, listParameters, topicSummaries, writtenEvents } from './listings.ts';
import { ofOneMoment } from './one-moment.ts';
import { topicRetainedFrom } from './retention.ts';
import { describeStream, selectStreams } from './select-streams.ts';
import { streamModels } from './stream-models.ts';
import { unknownParameters } from './unknown-parameters.ts';

/** A catalogue that is in memory as a whole: all but the listings is at hand at once. A listing of many streams comes later. */
export type EmbeddedCatalog = Listings & {
  readonly [Name in Exclude<keyof Catalog, keyof Listings>]: (
    ...asked: Parameters<Catalog[Name]>
  ) => Exclude<ReturnType<Catalog[Name]>, Promise<unknown>>;
};

/** The catalogue as the service sees it. */
export function embeddedCatalog(state: CatalogState, interruptedAfterMs: number): EmbeddedCatalog {
  const atPace = <Result>(begin: () => Steps<Result>, signal = neverAborted): Answer<Result> =>
    ofOneMoment(state, begin, paceReads(signal));
  return {
    ...atHand(state, interruptedAfterMs),
    streams: (workspace, filter, now, signal) =>
      atPace(() => selectStreams(state, workspace, filter, now, interruptedAfterMs), signal),
    streamModels: (workspace, filter, now, signal) =>
      atPace(() => streamModels(state, workspace, filter, now, interruptedAfterMs), signal),
    parameters: (workspace, filter, signal) => atPace(() => listParameters(state, workspace, filter), signal),
    events: (workspace, filter, signal) => atPace(() => listEvents(state, workspace, filter), signal),
    writtenEvents: (workspace, streams, signal) =>
      atPace(() => writtenEvents(state, workspace, streams), signal),
    unknownParameters: (workspace, streams, keys, signal) =>
      atPace(() => unknownParameters(state, workspace, streams, keys), signal),
    topics: (workspace, signal) => atPace(() => topicSummaries(state, workspace), signal),
  };
}

function atHand(state: CatalogState, interruptedAfterMs: number): Omit<EmbeddedCatalog, keyof Listings> {
  return {
    hasStream(workspace, topic, streamId) {
      const stream = findStream(state, workspace, topic, streamId);
      return stream !== undefined && state.streams.rows.softDeleted[stream] !== true;
    },
    isNew: (workspace, topic, streamId) => isNewStream(state, workspace, topic, streamId),
    lostStreams: () => state.lostNumbers.count,
    describe(workspace, topic, streamId, now) {
      const stream = findStream(state, workspace, topic, streamId);
      return stream === undefined ? undefined : describeStream(state, stream, now, interruptedAfterMs);
    },
    refresh: () => undefined,
    retainedFrom: (workspace, topic) => topicRetainedFrom(state, workspace, topic),
    topicName: (workspace, topic) => findTopic(state, workspace, topic)?.name,
    topicSettings: (workspace) =>
      [...(state.topicsByName.get(workspace)?.values() ?? [])]
        .filter(({ visible }) => visible)
        .map(({ name, retention }) => ({ name, retention })),
    tokenByHash: (hash) => state.tokensByHash.get(hash),
    tokens: () => [...state.tokens.values()],
    documents: (workspace, kind, topic) => state.documents.list(workspace, kind, topic),
    eachDocument: (workspace, kind, topic) => state.documents.each(workspace, kind, topic),
    documentCount: (workspace, kind) => state.documents.count(workspace, kind),
    documentBytes: (workspace, kind) => state.documents.bytes(workspace, kind),
    document: (workspace, kind, topic, id) => state.documents.get(workspace, { kind, topic, id }),
    workspace: (name) => state.workspaces.get(name),
    workspaces: () => [...state.workspaces.values()],
  };
}
