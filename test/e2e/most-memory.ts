import { existsSync, readFileSync } from 'node:fs';
import type { RunningService } from './service.ts';

/** The most memory that the process has had, in bytes; undefined where the system does not tell. */
export function mostMemory({ child }: RunningService): number | undefined {
  const path = `/proc/${child.pid}/status`;
  if (!existsSync(path)) return undefined;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'))![1]) * 1024;
}
