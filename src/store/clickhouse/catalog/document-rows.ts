import {
  type Document,
  type DocumentKind,
  type DocumentName,
  documentKey,
} from '../../../domain/document.ts';
import { foldTopic } from '../../../domain/topic.ts';
import type { Change } from '../../store.ts';
import { changesLastNs } from '../server/delete-settings.ts';
import { param, print, type Sql, sql } from '../server/sql.ts';
import type { Asking } from './catalog-settings.ts';
import type { DocumentChange, Registry } from './registry.ts';
import type { TableRow } from './table-rows.ts';

// Kept documents as rows of the table `kept`, and as what the registry knows of them.

type KeepChange = Extract<Change, { readonly type: 'keep' }>;
type ForgetChange = Extract<Change, { readonly type: 'forget' }>;

/** @param updatedAt milliseconds since the Unix epoch */
export function documentRow(
  workspace: string,
  change: KeepChange | ForgetChange,
  updatedAt: number,
  version: bigint,
): TableRow {
  const { kind, topic, id } = change;
  return {
    table: 'kept',
    values: [
      workspace,
      kind,
      topic === undefined ? '' : foldTopic(topic),
      id,
      topic ?? '',
      change.type === 'keep' ? change.body : '',
      String(updatedAt),
      change.type === 'keep' ? 0 : 1,
      version,
    ],
  };
}

const ofAlerts: readonly unknown[] = ['alertState', 'webhookMessage'] satisfies DocumentKind[];

/** Whether a row is what an alert rule remembers of a stream, or has to tell of it. */
export function isOfAlerts({ table, values }: TableRow): boolean {
  return table === 'kept' && ofAlerts.includes(values[1]);
}

export function documentOf({ kind, topic, id, body }: KeepChange, updatedAt: number): Document {
  return { kind, topic, id, body, updatedAt };
}

/** Documents that are asked for with their bodies at a time. */
const bodiesAtOnce = 200;
/** The most looks for a document that changes between its name and its body; others write all the time. */
const mostLooks = 5;

/**
 * Gives the registry what was kept and forgotten with versions above `since`, 0 for all that there is. Bodies, which may be
 * long, are read of what it does not have yet. A node that could not look for a day may have what was forgotten meanwhile,
 * and is not told of it any more (deletes/forgotten-documents.ts): it is not among all that there is.
 */
export async function lookForDocuments(
  clickhouse: Pick<Asking, 'rows'>,
  registry: Pick<Registry, 'putDocument' | 'hasDocument' | 'dropDocuments' | 'newest'>,
  since: bigint,
  looking: Parameters<Asking['rows']>[1],
): Promise<void> {
  for (let look = 0; look < mostLooks; look++) {
    const old = registry.newest - changesLastNs;
    const named = await clickhouse.rows<NameRow>(print(namesSince(since)), looking);
    if (since === 0n && look === 0) registry.dropDocuments(old, new Set(named.map(keyOf)));
    const missing: bigint[] = [];
    for (const [workspace, kind, topic, id, removed, digits] of named) {
      const name = nameOf(kind, topic, id);
      const version = BigInt(digits);
      if (registry.hasDocument(workspace, name, version)) continue;
      if (removed === 1) registry.putDocument({ workspace, name, version, item: undefined });
      else missing.push(version);
    }
    let found = 0;
    for (let from = 0; from < missing.length; from += bodiesAtOnce) {
      const versions = missing.slice(from, from + bodiesAtOnce);
      const rows = await clickhouse.rows<BodyRow>(print(bodiesOf(versions)), looking);
      for (const row of rows) registry.putDocument(changeOf(row));
      found += rows.length;
    }
    if (found >= missing.length) return;
  }
}

type NameRow = readonly [
  workspace: string,
  kind: DocumentKind,
  topic: string,
  id: string,
  removed: number,
  version: string,
];

type BodyRow = readonly [...NameRow, topicName: string, body: string, updated: string];

function namesSince(version: bigint): Sql {
  return sql`SELECT workspace, kind, topic, id, removed, version
FROM kept FINAL WHERE version > ${param(version, 'UInt64')}`;
}

/** Those of these versions that are the newest of theirs. */
function bodiesOf(versions: readonly bigint[]): Sql {
  return sql`SELECT workspace, kind, topic, id, removed, version, topic_name, body, updated
FROM kept FINAL WHERE version IN ${param(versions, 'Array(UInt64)')}`;
}

function keyOf([workspace, kind, topic, id]: NameRow): string {
  return documentKey(workspace, nameOf(kind, topic, id));
}

function nameOf(kind: DocumentKind, topic: string, id: string): DocumentName {
  return { kind, topic: topic === '' ? undefined : topic, id };
}

function changeOf([
  workspace,
  kind,
  topic,
  id,
  removed,
  version,
  topicName,
  body,
  updated,
]: BodyRow): DocumentChange {
  const name = nameOf(kind, topic, id);
  const item = { ...name, topic: topicName === '' ? undefined : topicName, body, updatedAt: Number(updated) };
  return { workspace, name, version: BigInt(version), item: removed === 1 ? undefined : item };
}
