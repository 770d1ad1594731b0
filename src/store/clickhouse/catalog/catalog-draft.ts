import type { TokenRecord, WorkspaceRecord } from '../../../domain/principal.ts';
import type { StreamProperties } from '../../../domain/stream.ts';
import type { Change } from '../../store.ts';
import type { TokenChange, TopicChange, WorkspaceChange } from './registry.ts';
import { foldTopic } from './stream-scope.ts';

/**
 * What changes say to the small tables, as lines of JSON (format JSONEachRow) with the tables' columns; what a line
 * leaves out has the default that merges without a trace. Values of streams are no part of it.
 */
export interface CatalogDraft {
  readonly lines: Record<CatalogTable, string[]>;
  /** The same for the registry, to be put there when the lines are in the tables. */
  readonly tokens: TokenChange[];
  readonly workspaces: WorkspaceChange[];
  readonly topics: TopicChange[];
  /** Workspaces that are removed with all they have. */
  readonly removals: { readonly name: string; readonly version: bigint }[];
}

export type CatalogTable = 'streams' | 'definitions' | 'topics' | 'tokens' | 'workspaces';

export function emptyDraft(): CatalogDraft {
  return {
    lines: { streams: [], definitions: [], topics: [], tokens: [], workspaces: [] },
    tokens: [],
    workspaces: [],
    topics: [],
    removals: [],
  };
}

/** A stream is written to at `version`: its topic comes into being, unless it is known. */
export function draftTopic(
  draft: CatalogDraft,
  workspace: string,
  topic: string,
  version: bigint,
  isKnown: boolean,
): void {
  const folded = foldTopic(topic);
  if (isKnown || draft.topics.some((known) => known.workspace === workspace && known.topic === folded))
    return;
  putTopic(draft, workspace, topic, version, undefined);
}

/** A write without values: it brings the stream into being and opens it, as values do by themselves. */
export function draftTouch(
  draft: CatalogDraft,
  workspace: string,
  topic: string,
  streamId: string,
  version: bigint,
): void {
  putStream(draft, workspace, topic, streamId, { created: String(version), touched: String(version) });
}

/** Any change but rows. Of changes of one request the later one has the larger version. */
export function draftChange(
  draft: CatalogDraft,
  workspace: string,
  change: Exclude<Change, { type: 'rows' }>,
  version: bigint,
): void {
  const at = String(version);
  switch (change.type) {
    case 'stream': {
      const { topic, streamId, properties } = change;
      const said = properties && { properties: propertiesLine(properties, at) };
      putStream(draft, workspace, topic, streamId, { created: at, touched: at, ...said });
      break;
    }
    case 'parameterDefinitions':
    case 'eventDefinitions':
      draftTouch(draft, workspace, change.topic, change.streamId, version);
      putDefinitions(draft, workspace, change, at);
      break;
    case 'close': {
      const closed = { version: at, end_type: change.endType };
      putStream(draft, workspace, change.topic, change.streamId, { closed });
      break;
    }
    case 'topic':
      putTopic(draft, workspace, change.topic, version, { version, age: change.retention });
      break;
    case 'token':
      draft.tokens.push({ id: change.token.id, version, token: change.token });
      draft.lines.tokens.push(JSON.stringify(tokenLine(change.token, at)));
      break;
    case 'revokeToken':
      draft.tokens.push({ id: change.id, version, token: undefined });
      draft.lines.tokens.push(JSON.stringify({ id: change.id, removed: 1, version: at }));
      break;
    case 'workspace':
      draftWorkspace(draft, change.workspace, version);
      break;
    case 'removeWorkspace':
      draft.workspaces.push({ name: change.name, version, workspace: undefined });
      draft.lines.workspaces.push(JSON.stringify({ name: change.name, removed: 1, version: at }));
      draft.removals.push({ name: change.name, version });
      break;
  }
}

export function draftWorkspace(draft: CatalogDraft, workspace: WorkspaceRecord, version: bigint): void {
  draft.workspaces.push({ name: workspace.name, version, workspace });
  const { name, createdAt, retention, maxStreams, maxBytes } = workspace;
  const line = {
    name,
    created: createdAt,
    retention: retention === undefined ? null : String(retention),
    max_streams: maxStreams ?? null,
    max_bytes: maxBytes ?? null,
    version: String(version),
  };
  draft.lines.workspaces.push(JSON.stringify(line));
}

function putStream(
  draft: CatalogDraft,
  workspace: string,
  topic: string,
  stream: string,
  columns: object,
): void {
  draft.lines.streams.push(JSON.stringify({ workspace, topic: foldTopic(topic), stream, ...columns }));
}

function propertiesLine(
  { name, location, metadata, parents, timeOfRecording }: StreamProperties,
  version: string,
) {
  return {
    version,
    name: name ?? null,
    location: location ?? null,
    metadata: Object.entries(metadata ?? {}),
    parents: parents ?? [],
    time_of_recording: timeOfRecording ?? null,
  };
}

function putTopic(
  draft: CatalogDraft,
  workspace: string,
  topic: string,
  version: bigint,
  retention: TopicChange['retention'] | undefined,
): void {
  const folded = foldTopic(topic);
  draft.topics.push({
    workspace,
    topic: folded,
    name: { version, text: topic },
    retention: retention ?? { version: 0n, age: undefined },
  });
  const line = {
    workspace,
    topic: folded,
    name: { version: String(version), name: topic },
    ...(retention && {
      retention: { version: String(retention.version), age: String(retention.age ?? 0n) },
    }),
  };
  draft.lines.topics.push(JSON.stringify(line));
}

function tokenLine(token: TokenRecord, version: string) {
  const { id, hash, workspace, scopes, name, createdAt, expires } = token;
  return {
    id,
    hash,
    workspace,
    scopes,
    name: name ?? null,
    created: createdAt,
    expires: expires ?? null,
    version,
  };
}

/** Definitions merge field by field, and in their order: of a field that is said twice the later one counts. */
function putDefinitions(
  draft: CatalogDraft,
  workspace: string,
  change: Extract<Change, { type: 'parameterDefinitions' | 'eventDefinitions' }>,
  version: string,
): void {
  const kind = change.type === 'eventDefinitions' ? 'event' : 'parameter';
  const said = new Map<string, Map<string, unknown>>();
  for (const definition of change.definitions) {
    const fields = said.get(definition.id) ?? new Map<string, unknown>();
    said.set(definition.id, fields);
    for (const [field, value] of Object.entries(definition)) {
      if (value !== undefined) fields.set(field, value);
    }
  }
  const topic = foldTopic(change.topic);
  for (const [id, fields] of said) {
    for (const [field, value] of fields) {
      const line = {
        workspace,
        topic,
        stream: change.streamId,
        kind,
        id,
        field,
        value: jsonOf(value),
        version,
      };
      draft.lines.definitions.push(JSON.stringify(line));
    }
  }
}

function jsonOf(value: unknown): string {
  return Object.is(value, -0) ? '-0' : JSON.stringify(value);
}
