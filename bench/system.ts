import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Payload } from './data.ts';

/** A system under test, started on an empty folder and a free port of this machine. */
export interface System {
  readonly name: string;
  readonly port: number;
  /** The request that writes one payload. */
  writeRequest(payload: Payload): Buffer;
  /** A request for the raw rows of one parameter of one stream, times in ms, both inclusive. */
  readRequest(stream: string, parameter: string, fromMs: number, toMs: number): Buffer;
  /** The values of an answer to `readRequest`, in order of time. */
  readValues(answer: Buffer, parameter: string): number[];
  /** Makes everything written visible to reads. */
  settle(): Promise<void>;
  /** Merges what there is to merge and tells the bytes on disk that hold data and its indexes. */
  diskBytes(): Promise<number>;
  /** Seconds of processor time so far. */
  cpuSeconds(): number;
  /** Resident memory now, in bytes. */
  memory(): number;
  /** Largest resident memory so far, in bytes. */
  peakMemory(): number;
  /** Ends it, by default with kill -9, starts it on the same folder, and gives the seconds until it takes requests. */
  restart(end?: (child: ChildProcess) => Promise<void>): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Waits until nothing is left to do for a system, a minute at most: flushing and merging go on behind a load.
 *
 * @param idle less than so many seconds of processor time in a second is rest
 */
export async function untilAtRest(system: Pick<System, 'cpuSeconds'>, idle = 0.05): Promise<void> {
  for (let waited = 0, before = system.cpuSeconds(), quiet = 0; waited < 60 && quiet < 3; waited++) {
    await sleep(1000);
    const now = system.cpuSeconds();
    quiet = now - before < idle ? quiet + 1 : 0;
    before = now;
  }
}

export function memoryOf(child: ChildProcess): number {
  return statusOf(child, /VmRSS:\s+(\d+) kB/);
}

export function peakMemoryOf(child: ChildProcess): number {
  return statusOf(child, /VmHWM:\s+(\d+) kB/);
}

function statusOf(child: ChildProcess, line: RegExp): number {
  return Number(line.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) * 1024;
}

/** Seconds of processor time so far, of all threads; the kernel tells hundredths. */
export function cpuSecondsOf(child: Pick<ChildProcess, 'pid'>): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  // The name before may have spaces in it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Ends a process that this program started with kill -9. */
export async function killProcess(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** Ends a process that this program started and waits until it is gone. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}
