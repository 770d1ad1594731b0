import type { Scope, TokenRecord, WorkspaceRecord } from '../../../domain/principal.ts';
import { PitwallError } from '../../../errors.ts';
import type { StoreLog } from '../../store-log.ts';
import { type Job, keepDoing } from '../server/keep-doing.ts';
import { join, name, param, print, type Sql, sql } from '../server/sql.ts';
import type { VersionClock } from '../server/version-clock.ts';
import type { Asking } from './catalog-settings.ts';
import { lookForDocuments } from './document-rows.ts';
import { seeNewest } from './newest-versions.ts';
import type { Registry } from './registry.ts';
import { sharedLook } from './shared-look.ts';
import { tableColumns } from './table-rows.ts';

/** Keeps a registry, and the clock of versions, in step with what all nodes write. */
export interface RegistryFeed {
  /**
   * Resolves when the registry holds all that was acknowledged before the call, and versions are above all that; calls
   * at the same time share a look.
   */
  refresh(): Promise<void>;
  /** Whether `arrivals` held anything at the last look. */
  readonly arrivalsTold: boolean;
  /** The same as `refresh` for versions of streams and their values alone; all of them, or those in scope. */
  look(scope?: readonly Sql[]): Promise<void>;
  /** Begins to look every second, whether or not a look fails. The first of several that fail is told. */
  poll(log: StoreLog): void;
  close(): Promise<void>;
}

const pollMs = 1000;
/** How long a look may take before it is given up: the connection may be dead, and the next look takes another one. */
const patienceMs = 10_000;

/**
 * A look takes what has versions above the newest that is known, less this: versions come from the clocks of nodes and
 * from before an insert that was tried for minutes, so they do not arrive in their order.
 */
const overlapNs = 600_000_000_000n;

/**
 * Now and then a look takes everything: a clock that was wrong for a while has made versions of the future, and a node
 * that stood still longer than the overlap writes versions of the past.
 */
const wholeLookMs = 600_000;

/** @param monotonicMs milliseconds of a clock that never goes back, instead of the process's, for tests */
export function feedRegistry(
  clickhouse: Pick<Asking, 'rows'>,
  registry: Registry,
  clock: Pick<VersionClock, 'reading' | 'see'>,
  monotonicMs: () => number = () => performance.now(),
): RegistryFeed {
  let arrivalsTold = false;
  let polling: Job | undefined;
  let wholeAt = Number.NEGATIVE_INFINITY;
  const closing = new AbortController();

  const looking = { signal: closing.signal, patienceMs };
  const streams = sharedLook(() => seeNewest(clickhouse, clock, looking));
  const all = sharedLook(async () => {
    await Promise.all([lookForRecords(), streams.look(), lookForArrivals()]);
    clock.see(registry.newest);
  });
  const refresh = all.look;

  async function lookForArrivals(): Promise<void> {
    if (arrivalsTold) return;
    const [row] = await clickhouse.rows<[number]>(print(sql`SELECT count() > 0 FROM arrivals`), looking);
    arrivalsTold = row?.[0] === 1;
  }

  async function lookForRecords(): Promise<void> {
    const now = monotonicMs();
    const isWhole = now - wholeAt >= wholeLookMs;
    const since = isWhole || registry.newest <= overlapNs ? 0n : registry.newest - overlapNs;
    // Workspaces first: what a removed one had is forgotten, and what is asked for after that is of a new one.
    const workspaces = await clickhouse.rows<WorkspaceRow>(print(newerRows('workspaces', since)), looking);
    for (const row of workspaces) registry.putWorkspace(workspaceOf(row));
    const [tokens, topics] = await Promise.all([
      clickhouse.rows<TokenRow>(print(newerRows('tokens', since)), looking),
      clickhouse.rows<TopicRow>(print(topicsSince(since)), looking),
      lookForDocuments(clickhouse, registry, since, looking),
    ]);
    for (const row of tokens) registry.putToken(tokenOf(row));
    for (const row of topics) registry.putTopic(topicOf(row));
    if (isWhole) wholeAt = now;
  }

  return {
    refresh,
    get arrivalsTold() {
      return arrivalsTold;
    },
    look: (scope) => (scope === undefined ? streams.look() : seeNewest(clickhouse, clock, looking, scope)),
    poll(log) {
      let isFailing = false;
      const lookNow = async () => {
        try {
          await refresh();
          isFailing = false;
        } catch (error) {
          if (isFailing) return;
          isFailing = true;
          throw error;
        }
      };
      const what = 'see what other nodes change';
      polling = keepDoing(lookNow, { what, firstMs: pollMs, betweenMs: pollMs, log });
    },
    async close() {
      closing.abort(new PitwallError('shutting_down'));
      await polling?.close();
      await Promise.all([all.settled(), streams.settled()]);
    },
  };
}

/** Rows as they are written. */
function newerRows(table: 'tokens' | 'workspaces', version: bigint): Sql {
  const columns = join(tableColumns[table].map((column) => name(column)));
  return sql`SELECT ${columns} FROM ${name(table)} FINAL WHERE version > ${param(version, 'UInt64')}`;
}

type TokenRow = readonly [
  id: string,
  hash: string,
  workspace: string,
  scopes: Scope[],
  name: string | null,
  created: string,
  expires: string | null,
  removed: number,
  version: string,
];

function tokenOf([id, hash, workspace, scopes, name, created, expires, removed, version]: TokenRow) {
  const token: TokenRecord = {
    id,
    hash,
    workspace,
    scopes,
    ...(name !== null && { name }),
    createdAt: Number(created),
    ...(expires !== null && { expires: Number(expires) }),
  };
  return { id, version: BigInt(version), token: removed === 0 ? token : undefined };
}

type WorkspaceRow = readonly [
  name: string,
  created: string,
  retention: string | null,
  maxStreams: string | null,
  maxBytes: string | null,
  removed: number,
  version: string,
];

function workspaceOf([name, created, retention, maxStreams, maxBytes, removed, version]: WorkspaceRow) {
  const workspace: WorkspaceRecord = {
    name,
    createdAt: Number(created),
    ...(retention !== null && { retention: BigInt(retention) }),
    ...(maxStreams !== null && { maxStreams: Number(maxStreams) }),
    ...(maxBytes !== null && { maxBytes: Number(maxBytes) }),
  };
  return { name, version: BigInt(version), workspace: removed === 0 ? workspace : undefined };
}

type TopicRow = readonly [
  workspace: string,
  topic: string,
  nameVersion: string,
  name: string,
  retentionVersion: string,
  age: string,
];

function topicsSince(version: bigint): Sql {
  return sql`SELECT workspace, topic, tupleElement(name, 'version'), tupleElement(name, 'name'),
  tupleElement(retention, 'version'), tupleElement(retention, 'age')
FROM topics FINAL
WHERE greatest(tupleElement(name, 'version'), tupleElement(retention, 'version')) > ${param(version, 'UInt64')}`;
}

function topicOf([workspace, topic, nameVersion, name, retentionVersion, age]: TopicRow) {
  return {
    workspace,
    topic,
    name: { version: BigInt(nameVersion), text: name },
    retention: { version: BigInt(retentionVersion), age: age === '0' ? undefined : BigInt(age) },
  };
}
