import type { Catalog } from '../../store.ts';
import { type CatalogState, findStream, findTopic } from './catalog-state.ts';
import { listEvents, listParameters, topicSummaries, writtenEvents } from './listings.ts';
import { topicKeptFrom } from './retention.ts';
import { describeStream, selectStreams, streamsToRead } from './select-streams.ts';
import { streamModels } from './stream-models.ts';

/** A catalogue that is in memory as a whole, and answers everything at once. */
export type CatalogView = {
  readonly [Name in keyof Catalog]: (
    ...asked: Parameters<Catalog[Name]>
  ) => Exclude<ReturnType<Catalog[Name]>, Promise<unknown>>;
};

/** The catalogue as the service sees it. */
export function catalogView(state: CatalogState, interruptedAfterMs: number): CatalogView {
  return {
    streams: (workspace, filter, now) => selectStreams(state, workspace, filter, now, interruptedAfterMs),
    streamModels: (workspace, filter, now) => streamModels(state, workspace, filter, now, interruptedAfterMs),
    parameters: (workspace, filter) => listParameters(state, workspace, filter),
    events: (workspace, filter) => listEvents(state, workspace, filter),
    writtenEvents: (workspace, { streamIds, topic }) =>
      writtenEvents(state, streamsToRead(state, workspace, streamIds, topic)),
    topics: (workspace) => topicSummaries(state, workspace),
    hasStream(workspace, topic, streamId) {
      const stream = findStream(state, workspace, topic, streamId);
      return stream !== undefined && state.streams.rows.softDeleted[stream] !== true;
    },
    describe(workspace, topic, streamId, now) {
      const stream = findStream(state, workspace, topic, streamId);
      return stream === undefined ? undefined : describeStream(state, stream, now, interruptedAfterMs);
    },
    refresh: () => undefined,
    keptFrom: (workspace, topic) => topicKeptFrom(state, workspace, topic),
    topicName: (workspace, topic) => findTopic(state, workspace, topic)?.name,
    tokenByHash: (hash) => state.tokensByHash.get(hash),
    tokens: () => [...state.tokens.values()],
    workspace: (name) => state.workspaces.get(name),
    workspaces: () => [...state.workspaces.values()],
  };
}
