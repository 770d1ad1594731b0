import { type ErrorCode, isOutOfFiles } from '../../../errors.ts';
import { isNoSpace } from '../files/files.ts';

/**
 * The life of a commit log, as a total table: every state × every event.
 *
 * - `writable`: takes appends.
 * - `full`: the disk is full; appends fail at once, a probe runs until there is space again.
 * - `starved`: the process can open no more files, so there is none for the next segment; the same until it can.
 * - `failed`: a write or sync failed for another reason. What the disk holds is unknown, so this is final.
 * - `closed`: after `close`; final.
 */
export type LogState = 'writable' | 'full' | 'starved' | 'failed' | 'closed';
export type LogEvent = LogFault | 'ready' | 'close';

/** Why a record could not be made durable. */
export type LogFault = 'noSpace' | 'noFiles' | 'ioError';

export const logTransitions: Readonly<Record<LogState, Readonly<Record<LogEvent, LogState>>>> = {
  writable: { noSpace: 'full', noFiles: 'starved', ready: 'writable', ioError: 'failed', close: 'closed' },
  full: { noSpace: 'full', noFiles: 'starved', ready: 'writable', ioError: 'failed', close: 'closed' },
  starved: { noSpace: 'full', noFiles: 'starved', ready: 'writable', ioError: 'failed', close: 'closed' },
  failed: { noSpace: 'failed', noFiles: 'failed', ready: 'failed', ioError: 'failed', close: 'closed' },
  closed: { noSpace: 'closed', noFiles: 'closed', ready: 'closed', ioError: 'closed', close: 'closed' },
};

/** What an append is refused with in each state; undefined means it is taken. */
export const appendRefusals: Readonly<Record<LogState, ErrorCode | undefined>> = {
  writable: undefined,
  full: 'disk_full',
  starved: 'overloaded',
  failed: 'storage_failed',
  closed: 'shutting_down',
};

/** What the appends of a group commit get when it could not be made durable. */
export const faultCodes: Readonly<Record<LogFault, ErrorCode>> = {
  noSpace: 'disk_full',
  noFiles: 'overloaded',
  ioError: 'storage_failed',
};

/** What an error of the files means; one of a sync is always `ioError`. */
export function faultOf(error: unknown): LogFault {
  if (isNoSpace(error)) return 'noSpace';
  return isOutOfFiles(error) ? 'noFiles' : 'ioError';
}

/** Whether it passes: nothing was lost, and a probe finds out when there can be appends again. */
export function isPassing(state: LogState): boolean {
  return state === 'full' || state === 'starved';
}
