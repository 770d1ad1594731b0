import { readFileSync } from 'node:fs';

/** How many files and sockets the parts of the service may have open at one time. */
export interface OpenFiles {
  /** Part files that reads have open. */
  readonly parts: number;
  /** Connections of clients, over all addresses. */
  readonly connections: number;
}

/** The files that are open besides parts: log, catalogue, threads, parts that are made, backups, links to NATS. */
const reserved = 80;
/** The most open parts: to open one costs less than to read it, so that more would not make reads faster. */
const maxParts = 1024;
const minParts = 16;
const minConnections = 16;

/**
 * Shares out what the process may have open. So connections never take the files that the store needs to go on: one too
 * many is closed, those that are open are served.
 *
 * @param limit files and sockets that the process may have open; Infinity where there is none
 */
export function shareOpenFiles(limit: number): OpenFiles {
  const parts = Math.max(minParts, Math.min(maxParts, Math.floor(limit / 4)));
  return { parts, connections: Math.max(minConnections, limit - parts - reserved) };
}

/**
 * The limit of open files where the system does not tell: Node.js raises its own to the maximum that is allowed,
 * which is seldom less.
 */
const defaultLimit = 4096;

/**
 * The limit of this process (`ulimit -n`).
 *
 * @param file what Linux tells of the process's limits (proc_pid_limits(5))
 */
export function openFileLimit(file = '/proc/self/limits'): number {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync(file, 'utf8'))?.[1];
    if (soft === 'unlimited') return Number.POSITIVE_INFINITY;
    return soft === undefined ? defaultLimit : Number(soft);
  } catch {
    return defaultLimit;
  }
}
