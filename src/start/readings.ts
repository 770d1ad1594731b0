import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { LiveLink } from '../live/nats/live-link.ts';
import type { Reading } from '../metrics.ts';
import type { RunningQueries } from '../query/bounds/running-queries.ts';
import type { ReplicaState } from '../replicas/replica-state.ts';
import type { ReadThreadsState, Store, StoreMemory } from '../store/store.ts';

/** What of the hub is told. */
export interface HubQueues {
  readonly queueBytes: number;
}

/** The figures of `/metrics` that are read from what is open; the store and the link are asked for when they are. */
export function readings(
  budget: ByteBudget,
  queries: Pick<RunningQueries, 'count'>,
  store: () => Store,
  link: () => Pick<LiveLink, 'connected' | 'counts'> | undefined,
  replicas: () => ReplicaState | undefined,
  hub: () => HubQueues,
  webhooks: () => { readonly waiting: number },
): Reading[] {
  return [
    { name: 'pitwall_in_flight_bytes', help: 'Bytes that requests hold', value: () => budget.used },
    { name: 'pitwall_running_queries', help: 'Queries that run now', value: () => queries.count },
    {
      name: 'pitwall_head_bytes',
      help: 'Bytes of rows not yet in parts, or not yet in ClickHouse',
      value: () => store().health().headBytes,
    },
    {
      name: 'pitwall_replica_sequence',
      help: 'The last message of the log that this replica has applied',
      value: () => replicas()?.sequence ?? 0,
    },
    {
      name: 'pitwall_replica_generation',
      help: 'How often the log of the replicas began, anew after each time that it had lost messages',
      value: () => replicas()?.generation ?? 0,
    },
    {
      name: 'pitwall_replica_stopped',
      help: '1 where this replica has stopped: the log has lost messages, or has one that this release cannot read',
      value: () => Number(replicas()?.isStopped ?? false),
    },
    {
      name: 'pitwall_replica_behind',
      help: 'Messages of the log that this replica has not applied yet',
      value: () => replicas()?.behind ?? 0,
    },
    {
      name: 'pitwall_replica_holds_lease',
      help: '1 while this replica does what one at a time does',
      value: () => Number(isHolder(replicas())),
    },
    ...memoryReadings(() => store().memory?.()),
    ...threadReadings(() => store().readThreads?.()),
    { name: 'pitwall_parts', help: 'Part files', value: () => store().health().parts },
    {
      name: 'pitwall_writable',
      help: '1 while writes are taken',
      value: () => Number(store().health().writable),
    },
    {
      name: 'pitwall_clock_held_back_seconds',
      help: "How far the retention of rows stays behind the machine's clock, which jumped ahead",
      value: () => (store().clock?.read().heldBackMs ?? 0) / 1000,
    },
    {
      name: 'pitwall_hub_queue_bytes',
      help: 'Bytes that wait for all readers of the hub together, as they stand in memory',
      value: () => hub().queueBytes,
    },
    {
      name: 'pitwall_webhook_messages_waiting',
      help: 'Messages to webhooks that wait to be sent',
      value: () => webhooks().waiting,
    },
    {
      name: 'pitwall_live_connected',
      help: '1 while there is a link to NATS',
      value: () => Number(link()?.connected() ?? false),
    },
    {
      name: 'pitwall_live_packages_sent_total',
      help: 'Packages of live data that went to other nodes',
      value: () => link()?.counts.sent ?? 0,
    },
    {
      name: 'pitwall_live_packages_lost_total',
      help: 'Packages of live data that could not go to other nodes',
      value: () => link()?.counts.lost ?? 0,
    },
    {
      name: 'pitwall_live_packages_received_total',
      help: 'Packages of live data that came from other nodes',
      value: () => link()?.counts.received ?? 0,
    },
  ];
}

function isHolder(state: ReplicaState | undefined): boolean {
  return state !== undefined && state.leaseHolder === state.node;
}

/** Of what the store keeps in memory for reads; all 0 with a store elsewhere. */
function memoryReadings(memory: () => StoreMemory | undefined): Reading[] {
  const kinds = [
    ['pitwall_part_cache', 'cache', 'Blocks of part files kept for reads'],
    ['pitwall_part_index', 'indexes', 'Indexes of part files kept for reads'],
    ['pitwall_snapshot', 'snapshots', 'Rows in part files by now, kept for reads that began before'],
  ] as const;
  const uses = kinds.flatMap(([name, kind, help]): Reading[] => [
    { name: `${name}_bytes`, help, value: () => memory()?.[kind].bytes ?? 0 },
    { name: `${name}_limit_bytes`, help: `${help}: the limit`, value: () => memory()?.[kind].limit ?? 0 },
  ]);
  const ended = {
    name: 'pitwall_reads_ended_total',
    help: 'Reads that ended because their clients took rows too slowly while memory was short',
    value: () => memory()?.endedReads ?? 0,
  };
  return [...uses, ended];
}

/** Of the threads that read; all 0 where the main thread reads, or another server. */
function threadReadings(state: () => ReadThreadsState | undefined): Reading[] {
  return [
    { name: 'pitwall_read_threads', help: 'Threads that read', value: () => state()?.threads ?? 0 },
    {
      name: 'pitwall_thread_reads',
      help: 'Reads that these threads have under way',
      value: () => state()?.reading ?? 0,
    },
    {
      name: 'pitwall_thread_reads_waiting',
      help: 'Reads that wait for a place on a thread',
      value: () => state()?.waiting ?? 0,
    },
    {
      name: 'pitwall_read_thread_deaths_total',
      help: 'Read threads that ended, and took their queries with them',
      value: () => state()?.died ?? 0,
    },
  ];
}
