import type { DefinitionChange, EventDefinition, ParameterDefinition } from '../../../domain/definition.ts';
import type { TokenRecord, WorkspaceRecord } from '../../../domain/principal.ts';
import type { StreamProperties } from '../../../domain/stream.ts';
import { foldTopic } from '../../../domain/topic.ts';
import type { Change } from '../../store.ts';
import { streamRow, type TableRow } from './table-rows.ts';

/** Changes that are rows of small tables; values and removals are made elsewhere. */
export type SmallChange = Exclude<
  Change,
  { readonly type: 'rows' | 'removeWorkspace' | 'revokeToken' | 'keep' | 'forget' }
>;

/** What a change writes, but for the topic that it may bring into being. */
export function changeRows(workspace: string, change: SmallChange, version: bigint): TableRow[] {
  if (!('streamId' in change)) return [sharedRow(workspace, change, version)];
  const owner = { workspace, topic: foldTopic(change.topic), stream: change.streamId };
  switch (change.type) {
    case 'stream': {
      const { properties } = change;
      return [
        streamRow({
          ...owner,
          touched: version,
          ...(properties !== undefined && { properties: propertiesOf(properties, version) }),
        }),
      ];
    }
    case 'parameterDefinitions':
    case 'eventDefinitions': {
      const kind = change.type === 'eventDefinitions' ? 'event' : 'parameter';
      const rows = definitionRows(owner, kind, change.definitions, version);
      return [streamRow({ ...owner, touched: version }), ...rows];
    }
    case 'close':
      return [streamRow({ ...owner, closed: { version, endType: change.endType } })];
  }
}

/** The row that a topic comes into being with. */
export function topicRow(
  workspace: string,
  topic: string,
  version: bigint,
  retention?: { readonly version: bigint; readonly age: bigint | undefined },
): TableRow {
  return {
    table: 'topics',
    values: [
      workspace,
      foldTopic(topic),
      { version, name: topic },
      { version: retention?.version ?? '0', age: String(retention?.age ?? 0n) },
    ],
  };
}

export function workspaceRow(workspace: WorkspaceRecord, version: bigint, removed = false): TableRow {
  const { name, createdAt, retention, maxStreams, maxBytes } = workspace;
  return {
    table: 'workspaces',
    values: [
      name,
      String(createdAt),
      retention === undefined ? null : String(retention),
      maxStreams ?? null,
      maxBytes ?? null,
      removed ? 1 : 0,
      version,
    ],
  };
}

export function tokenRow(token: TokenRecord, version: bigint, removed = false): TableRow {
  const { id, hash, workspace, scopes, name, createdAt, expires } = token;
  return {
    table: 'tokens',
    values: [
      id,
      hash,
      workspace,
      scopes,
      name ?? null,
      String(createdAt),
      expires === undefined ? null : String(expires),
      removed ? 1 : 0,
      version,
    ],
  };
}

function sharedRow(
  workspace: string,
  change: Extract<SmallChange, { readonly type: 'topic' | 'token' | 'workspace' }>,
  version: bigint,
): TableRow {
  switch (change.type) {
    case 'topic':
      return topicRow(workspace, change.topic, version, { version, age: change.retention });
    case 'token':
      return tokenRow(change.token, version);
    case 'workspace':
      return workspaceRow(change.workspace, version);
  }
}

function propertiesOf(properties: StreamProperties, version: bigint) {
  return {
    version,
    name: properties.name ?? null,
    location: properties.location ?? null,
    metadata: Object.entries(properties.metadata ?? {}),
    parents: properties.parents ?? [],
    timeOfRecording: properties.timeOfRecording ?? null,
  };
}

/** A row per field, `id` among them, so that a definition without others is there as well. */
function definitionRows(
  owner: { readonly workspace: string; readonly topic: string; readonly stream: string },
  kind: 'parameter' | 'event',
  definitions: readonly DefinitionChange<ParameterDefinition | EventDefinition>[],
  version: bigint,
): TableRow[] {
  // Of one definition twice in a change the later wins, field by field.
  const fields = new Map<string, TableRow>();
  for (const definition of definitions) {
    for (const [field, value] of Object.entries(definition)) {
      if (value === undefined) continue;
      const { workspace, topic, stream } = owner;
      fields.set(JSON.stringify([definition.id, field]), {
        table: 'definitions',
        values: [workspace, topic, stream, kind, definition.id, field, JSON.stringify(value), version],
      });
    }
  }
  return [...fields.values()];
}
