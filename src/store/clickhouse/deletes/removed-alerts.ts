import { documentsOfStreams } from '../../../alerts/documents-of-streams.ts';
import type { DocumentName } from '../../../domain/document.ts';
import { foldTopic } from '../../../domain/topic.ts';
import { nextTurn } from '../../../turns/rest.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import { documentRow } from '../catalog/document-rows.ts';
import type { Registry } from '../catalog/registry.ts';
import type { TableWriter } from '../insert/table-writer.ts';
import { param, print, sql } from '../server/sql.ts';

/** Documents that are looked at in one turn. */
const lookedAtOnce = 2000;
/** Streams that are asked for at a time. */
const askedAtOnce = 1000;

export interface AlertsForgetterOptions {
  readonly clickhouse: Asking;
  readonly writer: Pick<TableWriter, 'insertRows'>;
  /** It is to hold what was acknowledged. */
  readonly registry: Registry;
}

/**
 * Forgets what alert rules know of streams of a workspace, and have to tell of them, where these were removed for good later.
 * What says so has the version of the removal: what a stream of the same name has come to know since is newer, and stays.
 */
export function alertsForgetter({
  clickhouse,
  writer,
  registry,
}: AlertsForgetterOptions): (workspace: string) => Promise<void> {
  async function knownOf(workspace: string): Promise<Known[]> {
    const streams = new Map<string, Known>();
    let looked = 0;
    for (const [kind, named] of documentsOfStreams) {
      for (const { topic = '', id } of registry.documents.each(workspace, kind)) {
        if (++looked % lookedAtOnce === 0) await nextTurn();
        const { streamId } = named(id);
        const folded = foldTopic(topic);
        const key = keyOf(folded, streamId);
        const known = streams.get(key) ?? { topic: folded, streamId, names: [] };
        streams.set(key, known);
        known.names.push({ kind, topic, id });
      }
    }
    return [...streams.values()];
  }

  async function forget(workspace: string, known: readonly Known[]): Promise<void> {
    const topics = param([...new Set(known.map(({ topic }) => topic))], 'Array(String)');
    const streams = param(
      known.map(({ streamId }) => streamId),
      'Array(String)',
    );
    const marks = await clickhouse.rows<[topic: string, streamId: string, version: string]>(
      print(sql`SELECT topic, stream, removed FROM streams FINAL
WHERE workspace = ${param(workspace, 'String')} AND topic IN ${topics} AND stream IN ${streams} AND removed > 0`),
    );
    const removed = new Map(
      marks.map(([topic, streamId, version]) => [keyOf(topic, streamId), BigInt(version)]),
    );
    const old = known.flatMap(({ topic, streamId, names }) => {
      const version = removed.get(keyOf(topic, streamId)) ?? 0n;
      return names
        .filter((name) => !registry.hasDocument(workspace, name, version))
        .map((name) => ({ name, version }));
    });
    if (old.length === 0) return;
    await writer.insertRows(
      old.map(({ name, version }) =>
        documentRow(workspace, { type: 'forget', ...name }, Number(version / 1_000_000n), version),
      ),
    );
    for (const { name, version } of old) registry.putDocument({ workspace, name, version, item: undefined });
  }

  return async (workspace) => {
    const known = await knownOf(workspace);
    for (let from = 0; from < known.length; from += askedAtOnce)
      await forget(workspace, known.slice(from, from + askedAtOnce));
  };
}

/** What is kept of a stream. */
interface Known {
  readonly topic: string;
  readonly streamId: string;
  readonly names: DocumentName[];
}

function keyOf(topic: string, streamId: string): string {
  return `${topic}\n${streamId}`;
}
