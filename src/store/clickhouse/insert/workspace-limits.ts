import { foldTopic } from '../../../domain/topic.ts';
import { PitwallError } from '../../../errors.ts';
import { promised } from '../../../turns/promised.ts';
import type { Batch, Change } from '../../store.ts';
import { streamName, TooManyStreams } from '../../too-many-streams.ts';
import type { Registry } from '../catalog/registry.ts';
import { type SharedLook, sharedLook } from '../catalog/shared-look.ts';
import { namedStreams, streamKey } from '../catalog/stream-scope.ts';
import { isThere } from '../catalog/visibility.ts';
import type { ClickHouse } from '../server/client.ts';
import { param, print, type Sql, sql } from '../server/sql.ts';
import { windowKey } from '../server/window-sql.ts';

/**
 * Holds workspaces to their limits, as all nodes together have filled them. Writes of new streams into a limited
 * workspace go one after another on a node; what several nodes make at the same moment may exceed the limit by that.
 */
export interface WorkspaceLimits {
  /**
   * Rejects with `too_many_streams` or `workspace_full` (403) for a batch that may not be appended, and with `overloaded` for
   * one that waits for too many others. `done` is to be
   * called when the batch is acknowledged or refused.
   *
   * @param bytes of the batch's values, counted as those that are there
   */
  admit(batch: Batch, bytes: number): Promise<{ done(): void }>;
}

export interface WorkspaceLimitsOptions {
  readonly clickhouse: Pick<ClickHouse, 'rows'>;
  readonly registry: Pick<Registry, 'workspace'>;
  /** A write that has waited so long (ms) for those before it is refused. */
  readonly patienceMs: number;
}

/** How long a workspace that was below its limit of bytes is taken to be so. */
const usageLastsMs = 1000;
/** How long streams of limited workspaces are known to be there before they are looked up again. */
const streamsLastMs = 10_000;

export function workspaceLimits(parts: WorkspaceLimitsOptions): WorkspaceLimits {
  return new Limits(parts);
}

class Limits implements WorkspaceLimits {
  readonly #parts: WorkspaceLimitsOptions;
  /** As it was found, and what this node has added since. */
  readonly #usage = new Map<string, { bytes: number; readonly at: number }>();
  /** By workspace: the question that is under way. */
  readonly #looks = new Map<string, SharedLook>();
  /** Per workspace the end of the last admission of new streams. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #known = new Map<string, { readonly keys: Set<string>; readonly at: number }>();

  constructor(parts: WorkspaceLimitsOptions) {
    this.#parts = parts;
  }

  async admit({ workspace, changes }: Batch, bytes: number): Promise<{ done(): void }> {
    const { maxBytes, maxStreams } = this.#parts.registry.workspace(workspace) ?? {};
    if (maxBytes !== undefined && changes.some((change) => change.type === 'rows' && change.quiet !== true)) {
      await this.#checkBytes(workspace, maxBytes, bytes);
    }
    if (maxStreams === undefined) return nothingNew;
    const keys = this.#knownStreams(workspace);
    const named = namedIn(changes);
    const made = new Map([...named].filter(([key]) => !keys.has(key)));
    if (made.size === 0) return nothingNew;
    const release = await turn(this.#turns, workspace, this.#parts.patienceMs);
    try {
      await this.#checkStreams(workspace, maxStreams, made);
    } catch (error) {
      release();
      throw error;
    }
    return {
      done() {
        release();
        // If the batch failed, they are looked up again when this has grown old.
        for (const key of named.keys()) keys.add(key);
      },
    };
  }

  async #checkBytes(workspace: string, limit: number, added: number): Promise<void> {
    let last = this.#usage.get(workspace);
    if (last === undefined || last.bytes >= limit || performance.now() - last.at >= usageLastsMs) {
      await this.#lookAt(workspace);
      last = this.#usage.get(workspace)!;
    }
    const { bytes } = last;
    last.bytes += added;
    if (bytes < limit) return;
    throw new PitwallError('workspace_full', {
      detail: `the rows of the workspace '${workspace}' take ${bytes} bytes, and it may have ${limit}; delete some first`,
    });
  }

  /** Counts what a workspace has, once for all that ask at the same time: it is a large statement. */
  #lookAt(workspace: string): Promise<void> {
    let shared = this.#looks.get(workspace);
    if (shared === undefined) {
      shared = sharedLook(async () => {
        this.#usage.set(workspace, { bytes: await this.#usedBytes(workspace), at: performance.now() });
      });
      this.#looks.set(workspace, shared);
    }
    return shared.look();
  }

  /** Of the values: 8 each and their texts, which the projection has counted. */
  async #usedBytes(workspace: string): Promise<number> {
    const inWorkspace = sql`workspace = ${param(workspace, 'String')}`;
    const [row] = await this.#parts.clickhouse.rows<[string]>(
      print(sql`SELECT sum(used) FROM (
  SELECT toInt64(sum(bytes)) AS used FROM windows WHERE ${inWorkspace}
  UNION ALL SELECT -sum(hidden) AS used FROM (${hiddenBytes(inWorkspace)}))`),
    );
    return Number(row?.[0] ?? 0);
  }

  #knownStreams(workspace: string): Set<string> {
    const found = this.#known.get(workspace);
    if (found !== undefined && performance.now() - found.at < streamsLastMs) return found.keys;
    const keys = new Set<string>();
    this.#known.set(workspace, { keys, at: performance.now() });
    return keys;
  }

  async #checkStreams(
    workspace: string,
    limit: number,
    made: Map<string, { readonly topic: string; readonly stream: string }>,
  ): Promise<void> {
    const inWorkspace = sql`workspace = ${param(workspace, 'String')} AND ${isThere}`;
    const [there, [count]] = await Promise.all([
      this.#parts.clickhouse.rows<[topic: string, stream: string]>(
        print(
          sql`SELECT topic, stream FROM streams FINAL WHERE ${inWorkspace} AND ${namedStreams([...made.values()])}`,
        ),
      ),
      this.#parts.clickhouse.rows<[string]>(
        print(sql`SELECT count() FROM streams FINAL WHERE ${inWorkspace}`),
      ),
    ]);
    for (const [topic, stream] of there) made.delete(streamKey({ topic, stream }));
    if (made.size === 0 || Number(count?.[0] ?? 0) + made.size <= limit) return;
    const names = [...made.values()].map(({ topic, stream: streamId }) => streamName(topic, streamId));
    throw new TooManyStreams(workspace, limit, new Set(names));
  }
}

const nothingNew = { done: () => undefined };

/** Waits for the others of the workspace, and resolves with what lets the next one go on. */
async function turn(
  turns: Map<string, Promise<void>>,
  workspace: string,
  patienceMs: number,
): Promise<() => void> {
  const before = turns.get(workspace);
  const { promise: finished, resolve: finish } = promised();
  // Who gives up lets the next one go on no sooner than those before him.
  const mine = Promise.all([before, finished]).then(() => {
    if (turns.get(workspace) === mine) turns.delete(workspace);
  });
  turns.set(workspace, mine);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const detail = `too many writes wait to make streams in the workspace '${workspace}', which has a limit of them`;
    timer = setTimeout(() => reject(new PitwallError('overloaded', { detail })), patienceMs);
  });
  try {
    await Promise.race([before, late]);
  } catch (error) {
    finish();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return finish;
}

/** The streams that changes bring into being where they are not there. */
function namedIn(changes: readonly Change[]): Map<string, { topic: string; stream: string }> {
  const named = new Map<string, { topic: string; stream: string }>();
  for (const change of changes) {
    if (!('streamId' in change) || change.type === 'close') continue;
    const name = { topic: foldTopic(change.topic), stream: change.streamId };
    named.set(streamKey(name), name);
  }
  return named;
}

/** `hidden`: bytes of pieces that a range delete has taken whole, until they are tidied; of each window that has one. */
function hiddenBytes(inWorkspace: Sql): Sql {
  return sql`SELECT toInt64(sum(bytes) * arraySum(piece -> if(arrayExists(taken -> taken.count = 0 AND taken.tags = piece.tags
      AND taken.first <= piece.first AND taken.last >= piece.last AND taken.version >= piece.version, joined), piece.count, 0), joined)
    / greatest(1, sum(count))) AS hidden, groupArrayArray(pieces) AS joined
  FROM windows WHERE ${inWorkspace} AND (${windowKey}) IN (
    SELECT ${windowKey} FROM windows WHERE ${inWorkspace} AND deleted > 0)
  GROUP BY ${windowKey}`;
}
