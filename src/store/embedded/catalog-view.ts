import type { Catalog } from '../store.ts';
import { type CatalogState, findStream, findTopic } from './catalog-state.ts';
import { describeStream, selectStreams } from './select-streams.ts';

/** The catalogue as the service sees it. */
export function catalogView(state: CatalogState, interruptedAfterMs: number): Catalog {
  return {
    streams: (workspace, filter, now) => selectStreams(state, workspace, filter, now, interruptedAfterMs),
    hasStream(workspace, topic, streamId) {
      const stream = findStream(state, workspace, topic, streamId);
      return stream !== undefined && state.streams.rows.softDeleted[stream] !== true;
    },
    describe(workspace, topic, streamId, now) {
      const stream = findStream(state, workspace, topic, streamId);
      return stream === undefined ? undefined : describeStream(state, stream, now, interruptedAfterMs);
    },
    topicName: (workspace, topic) => findTopic(state, workspace, topic)?.name,
    tokenByHash: (hash) => state.tokensByHash.get(hash),
    tokens: () => [...state.tokens.values()],
    workspace: (name) => state.workspaces.get(name),
    workspaces: () => [...state.workspaces.values()],
  };
}
