import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { privateFile } from './private-modes.ts';

/**
 * A socket tells nothing of a process on another machine. Where a folder may be mounted by several, its holder writes the
 * file `holder` again and again while it lives; whoever finds one of another machine looks for a while whether it changes.
 *
 * This only ever refuses: a holder that is seen to live keeps the folder. One that is not seen to may live all the same,
 * behind a network that is broken, and nothing can stop it then.
 */
export interface HostWatch {
  /** Writes no more, and removes the file. */
  release(): Promise<void>;
}

/** A machine, from its start to its end. */
export interface Host {
  readonly name: string;
  /** Linux: of the kernel's start, the same in all containers of a machine. */
  readonly boot: string;
}

export interface HostWatchOptions {
  readonly host: Host;
  /** The file is written so often, ms. */
  readonly beatMs: number;
}

export const holderName = 'holder';
const unfinishedName = /^holder-[0-9a-f]{16}\.new$/;
/** The beats without a write after which a holder is taken for gone. */
const patience = 6;

export function thisHost(): Host {
  let boot = '';
  try {
    boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Elsewhere the name has to do.
  }
  return { name: hostname(), boot };
}

/**
 * Begins to write, after it was seen that nobody else does. Throws what `refuse` makes of the name of a host that does.
 */
export async function watchHosts(
  directory: string,
  { host, beatMs }: HostWatchOptions,
  refuse: (name: string) => Error,
): Promise<HostWatch> {
  const path = join(directory, holderName);
  const id = randomBytes(8).toString('hex');
  let beat = 0;

  async function write(): Promise<void> {
    const unfinished = `${path}-${id}.new`;
    const text = `${JSON.stringify({ host: host.name, boot: host.boot, id, beat: beat++ })}\n`;
    try {
      await writeFile(unfinished, text, { mode: privateFile });
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  const first = await readHolder(path);
  if (first !== undefined && first.boot !== host.boot) {
    for (let turn = 0; turn < patience; turn++) {
      await passing(beatMs);
      const now = await readHolder(path);
      if (now === undefined) break;
      if (now.text !== first.text) throw refuse(now.host);
    }
  }
  await write();
  // Of two that found nobody at the same time the last one to write stays.
  await passing(beatMs);
  const found = await readHolder(path);
  if (found !== undefined && found.id !== id) throw refuse(found.host);

  await sweep(directory, patience * beatMs).catch(() => undefined);

  let writing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    writing = writing.then(write).catch(() => undefined);
  }, beatMs).unref();
  return {
    async release() {
      clearInterval(timer);
      await writing;
      const last = await readHolder(path).catch(() => undefined);
      if (last?.id === id) await rm(path, { force: true });
    },
  };
}

interface Holder {
  readonly host: string;
  readonly boot: string;
  readonly id: string;
  readonly text: string;
}

/** Undefined where there is none; one that cannot be understood is one of nobody knows whom. */
async function readHolder(path: string): Promise<Holder | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { host, boot, id } = JSON.parse(text) as Record<string, unknown>;
    return { host: String(host), boot: String(boot), id: String(id), text };
  } catch {
    return { host: 'unknown', boot: '', id: '', text };
  }
}

/** Removes what processes left that were killed while they wrote. Another that looks just now may be writing one. */
async function sweep(directory: string, ageMs: number): Promise<void> {
  const { mtimeMs: now } = await stat(join(directory, holderName));
  for (const name of await readdir(directory)) {
    if (!unfinishedName.test(name)) continue;
    const path = join(directory, name);
    const { mtimeMs } = await stat(path);
    if (now - mtimeMs > ageMs) await rm(path, { force: true });
  }
}

function passing(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
