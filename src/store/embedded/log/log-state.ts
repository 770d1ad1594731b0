import type { ErrorCode } from '../../../errors.ts';

/**
 * The life of a commit log, as a total table: every state × every event.
 *
 * - `writable`: takes appends.
 * - `full`: the disk is full; appends fail at once, a probe runs until there is space again.
 * - `failed`: a write or sync failed for another reason. What the disk holds is unknown, so this is final.
 * - `closed`: after `close`; final.
 */
export type LogState = 'writable' | 'full' | 'failed' | 'closed';
export type LogEvent = 'noSpace' | 'spaceAgain' | 'ioError' | 'close';

export const logTransitions: Readonly<Record<LogState, Readonly<Record<LogEvent, LogState>>>> = {
  writable: { noSpace: 'full', spaceAgain: 'writable', ioError: 'failed', close: 'closed' },
  full: { noSpace: 'full', spaceAgain: 'writable', ioError: 'failed', close: 'closed' },
  failed: { noSpace: 'failed', spaceAgain: 'failed', ioError: 'failed', close: 'closed' },
  closed: { noSpace: 'closed', spaceAgain: 'closed', ioError: 'closed', close: 'closed' },
};

/** What an append gets in each state; undefined means it is taken. */
export const appendAnswer: Readonly<Record<LogState, ErrorCode | undefined>> = {
  writable: undefined,
  full: 'disk_full',
  failed: 'storage_failed',
  closed: 'shutting_down',
};
