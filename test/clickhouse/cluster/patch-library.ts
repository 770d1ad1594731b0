import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/** Of libchdb.so of chdb 26.7.3, for x86-64. */
export interface FunctionOfLibrary {
  /** From the library's beginning. */
  readonly at: number;
  /** Its first instructions as they are. */
  readonly begins: Buffer;
  /** Those that it shall have. */
  readonly body: Buffer;
}

/**
 * Gives functions of the library that a process has loaded other bodies, in the memory of that process.
 * Throws where the library is another build than the one that they were written for.
 */
export function patchLibrary(pid: number, functions: readonly FunctionOfLibrary[]): void {
  const base = baseOfLibrary(pid);
  const memory = openSync(`/proc/${pid}/mem`, 'r+');
  try {
    for (const { at, begins, body } of functions) {
      const found = Buffer.alloc(begins.length);
      readSync(memory, found, 0, found.length, base + at);
      if (!found.equals(begins)) throw new Error('this build of the engine is not known: patch-library.ts');
      writeSync(memory, body, 0, body.length, base + at);
    }
  } finally {
    closeSync(memory);
  }
}

function baseOfLibrary(pid: number): number {
  const lines = readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n');
  const first = lines.find((line) => line.endsWith('/libchdb.so'));
  if (first === undefined) throw new Error('the engine is not loaded');
  return Number.parseInt(first, 16);
}
