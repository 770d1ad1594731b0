import { paceReads } from '../../../query/pace.ts';
import type { Answer, Catalog } from '../../store.ts';
import { type CatalogState, findStream, findTopic, isNewStream } from './catalog-state.ts';
import { listEvents, listParameters, topicSummaries, writtenEvents } from './listings.ts';
import { topicKeptFrom } from './retention.ts';
import { describeStream, selectStreams } from './select-streams.ts';
import { inOneGo, ofOneMoment, type Steps } from './steps.ts';
import { streamModels } from './stream-models.ts';
import { unknownParameters } from './unknown-parameters.ts';

/** What goes through all streams: of many it is an answer that comes later. */
type Listing =
  | 'streams'
  | 'streamModels'
  | 'parameters'
  | 'events'
  | 'writtenEvents'
  | 'unknownParameters'
  | 'topics';

/** A catalogue that is in memory as a whole: all but the listings is at hand at once. */
export type EmbeddedCatalog = Pick<Catalog, Listing> & {
  readonly [Name in Exclude<keyof Catalog, Listing>]: (
    ...asked: Parameters<Catalog[Name]>
  ) => Exclude<ReturnType<Catalog[Name]>, Promise<unknown>>;
};

/** The same with listings made in one go, however long that takes. */
export type CatalogView = {
  readonly [Name in keyof Catalog]: (
    ...asked: Parameters<Catalog[Name]>
  ) => Exclude<ReturnType<Catalog[Name]>, Promise<unknown>>;
};

/** The catalogue as the service sees it. */
export function embeddedCatalog(state: CatalogState, interruptedAfterMs: number): EmbeddedCatalog {
  const listings = listingsOf(state, interruptedAfterMs);
  const atPace = <Result>(begin: () => Steps<Result>, signal = never): Answer<Result> =>
    ofOneMoment(state, begin, paceReads(signal));
  return {
    ...atHand(state, interruptedAfterMs),
    streams: (workspace, filter, now, signal) =>
      atPace(() => listings.streams(workspace, filter, now), signal),
    streamModels: (workspace, filter, now, signal) =>
      atPace(() => listings.streamModels(workspace, filter, now), signal),
    parameters: (workspace, filter, signal) => atPace(() => listings.parameters(workspace, filter), signal),
    events: (workspace, filter, signal) => atPace(() => listings.events(workspace, filter), signal),
    writtenEvents: (workspace, streams, signal) =>
      atPace(() => listings.writtenEvents(workspace, streams), signal),
    unknownParameters: (workspace, streams, keys, signal) =>
      atPace(() => listings.unknownParameters(workspace, streams, keys), signal),
    topics: (workspace, signal) => atPace(() => listings.topics(workspace), signal),
  };
}

export function catalogView(state: CatalogState, interruptedAfterMs: number): CatalogView {
  const listings = listingsOf(state, interruptedAfterMs);
  return {
    ...atHand(state, interruptedAfterMs),
    streams: (workspace, filter, now) => inOneGo(listings.streams(workspace, filter, now)),
    streamModels: (workspace, filter, now) => inOneGo(listings.streamModels(workspace, filter, now)),
    parameters: (workspace, filter) => inOneGo(listings.parameters(workspace, filter)),
    events: (workspace, filter) => inOneGo(listings.events(workspace, filter)),
    writtenEvents: (workspace, streams) => inOneGo(listings.writtenEvents(workspace, streams)),
    unknownParameters: (workspace, streams, keys) =>
      inOneGo(listings.unknownParameters(workspace, streams, keys)),
    topics: (workspace) => inOneGo(listings.topics(workspace)),
  };
}

const never = new AbortController().signal;

function listingsOf(state: CatalogState, interruptedAfterMs: number) {
  type Asked<Name extends Listing> = Parameters<Catalog[Name]>;
  return {
    streams: (...[workspace, filter, now]: Asked<'streams'>) =>
      selectStreams(state, workspace, filter, now, interruptedAfterMs),
    streamModels: (...[workspace, filter, now]: Asked<'streamModels'>) =>
      streamModels(state, workspace, filter, now, interruptedAfterMs),
    parameters: (...[workspace, filter]: Asked<'parameters'>) => listParameters(state, workspace, filter),
    events: (...[workspace, filter]: Asked<'events'>) => listEvents(state, workspace, filter),
    writtenEvents: (...[workspace, streams]: Asked<'writtenEvents'>) =>
      writtenEvents(state, workspace, streams),
    unknownParameters: (...[workspace, streams, keys]: Asked<'unknownParameters'>) =>
      unknownParameters(state, workspace, streams, keys),
    topics: (...[workspace]: Asked<'topics'>) => topicSummaries(state, workspace),
  };
}

function atHand(state: CatalogState, interruptedAfterMs: number): Omit<CatalogView, Listing> {
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
    keptFrom: (workspace, topic) => topicKeptFrom(state, workspace, topic),
    topicName: (workspace, topic) => findTopic(state, workspace, topic)?.name,
    tokenByHash: (hash) => state.tokensByHash.get(hash),
    tokens: () => [...state.tokens.values()],
    kept: (workspace, kind, topic) => state.kept.list(workspace, kind, topic),
    keptItems: (workspace, kind, topic) => state.kept.each(workspace, kind, topic),
    keptCount: (workspace, kind) => state.kept.count(workspace, kind),
    keptBytes: (workspace, kind) => state.kept.bytes(workspace, kind),
    keptItem: (workspace, kind, topic, id) => state.kept.get(workspace, { kind, topic, id }),
    workspace: (name) => state.workspaces.get(name),
    workspaces: () => [...state.workspaces.values()],
  };
}
