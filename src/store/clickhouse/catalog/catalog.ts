import { compareText } from '../../../domain/tags.ts';
import type { Catalog, ServiceRegistry } from '../../store.ts';
import { every, print, type Sql, sql } from '../server/sql.ts';
import { type Asking, askingWith } from './catalog-settings.ts';
import { streamDescriber } from './describe-streams.ts';
import { findStreams } from './find-streams.ts';
import {
  type EntryRow,
  eventOf,
  parameterOf,
  selectEvents,
  selectParameters,
  selectWrittenEvents,
} from './list-definitions.ts';
import type { Registry } from './registry.ts';
import type { RegistryFeed } from './registry-feed.ts';
import type { StreamQuestion } from './select-streams.ts';
import { pacedLook } from './shared-look.ts';
import { streamModels } from './stream-models.ts';
import { scopeConditions } from './stream-scope.ts';
import { selectTopics, type TopicRow, topicOf } from './topic-summaries.ts';
import { parameterSearch } from './unknown-parameters.ts';
import { isSoftDeleted, isThere } from './visibility.ts';

export interface CatalogOptions {
  readonly clickhouse: Asking;
  readonly registry: Registry;
  readonly feed: Pick<RegistryFeed, 'refresh'>;
  /** What a listing is asked with; statuses are as of `now`. */
  readonly questionOn: (workspace: string, now: number) => StreamQuestion;
  /** The oldest time (ns) of rows that are kept now. */
  readonly retainedFrom: ServiceRegistry['retainedFrom'];
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
}

/** The shortest time between two looks of the registry for requests with tokens that are not known. */
const unknownPauseMs = 500;

/** The catalogue as the service sees it: listings by SQL, what is asked for by every request from memory. */
export function createCatalog(options: CatalogOptions): Catalog {
  const { registry, feed, clock } = options;
  const clickhouse = askingWith(options.clickhouse, { isRead: true });

  const rows = <Row extends readonly unknown[]>(statement: Sql, signal?: AbortSignal) =>
    askingWith(clickhouse, { signal }).rows<Row>(print(statement));

  const questionOn = (workspace: string, now = clock()) => options.questionOn(workspace, now);

  const unknown = parameterSearch();

  return {
    streams: (workspace, filter, now, signal) =>
      findStreams(askingWith(clickhouse, { signal }), questionOn(workspace, now), filter),

    streamModels: (workspace, filter, now, signal) =>
      streamModels(askingWith(clickhouse, { signal }), questionOn(workspace, now), filter),

    async parameters(workspace, filter, signal) {
      const found = await rows<EntryRow>(selectParameters(questionOn(workspace), filter), signal);
      return found.map(parameterOf);
    },

    async events(workspace, filter, signal) {
      return (await rows<EntryRow>(selectEvents(questionOn(workspace), filter), signal)).map(eventOf);
    },

    async writtenEvents(workspace, { streamIds, topic }, signal) {
      const select = selectWrittenEvents(questionOn(workspace), { streamIds, topic });
      const found = await rows<[string]>(select, signal);
      return found.map(([id]) => id).sort(compareText);
    },

    unknownParameters: (workspace, streams, keys, signal) =>
      unknown(askingWith(clickhouse, { signal }), questionOn(workspace), streams, keys),

    async topics(workspace, signal) {
      return (await rows<TopicRow>(selectTopics(questionOn(workspace)), signal)).map(topicOf);
    },

    async hasStream(workspace, topic, streamId) {
      const named = scopeConditions(workspace, { topic, streamIds: [streamId] });
      const shown = every([...named, isThere, sql`NOT ${isSoftDeleted}`]);
      return (await rows(sql`SELECT 1 FROM streams FINAL WHERE ${shown}`)).length > 0;
    },

    isNew: () => undefined,
    lostStreams: () => 0,
    describe: streamDescriber(clickhouse, questionOn),
    refresh: pacedLook(feed.refresh, unknownPauseMs),
    retainedFrom: options.retainedFrom,
    topicName: (workspace, topic) => registry.topicName(workspace, topic),
    topicSettings: (workspace) => registry.topicSettings(workspace),
    tokenByHash: (hash) => registry.tokenByHash(hash),
    tokens: () => registry.tokens(),
    documents: (workspace, kind, topic) => registry.documents.list(workspace, kind, topic),
    eachDocument: (workspace, kind, topic) => registry.documents.each(workspace, kind, topic),
    documentCount: (workspace, kind) => registry.documents.count(workspace, kind),
    documentBytes: (workspace, kind) => registry.documents.bytes(workspace, kind),
    document: (workspace, kind, topic, id) => registry.documents.get(workspace, { kind, topic, id }),
    workspace: (name) => registry.workspace(name),
    workspaces: () => registry.workspaces(),
  };
}
