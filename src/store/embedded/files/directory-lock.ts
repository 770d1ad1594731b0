import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, linkSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type HostWatch, thisHost, watchHosts } from './host-watch.ts';
import { checkSocketName, deafSocket, explainLockError } from './lock-refusals.ts';
import { sharedFileSystem } from './network-folders.ts';
import { privateFile } from './private-modes.ts';

/**
 * One process per data directory. The lock is a Unix socket in the directory on which its holder listens: the
 * kernel ends it with the process, however that dies, and it works across containers that share the directory,
 * where process numbers say nothing. Where several machines may have mounted the folder, host-watch.ts looks for others.
 */
export interface DirectoryLock {
  release(): Promise<void>;
}

export class DirectoryLocked extends Error {}

const socketName = 'lock';
/** How often (ms) the holder tells on a file system of several machines that it lives. */
const beatMs = 2000;

/** How other machines are looked for; by default only on file systems that several may have mounted. */
export type WatchMachines = (directory: string) => Promise<HostWatch | undefined>;

async function watchOnShared(directory: string): Promise<HostWatch | undefined> {
  if ((await sharedFileSystem(directory)) === undefined) return undefined;
  return watchHosts(directory, { host: thisHost(), beatMs }, (name) => usedBy(directory, name));
}

export function usedBy(directory: string, host: string): DirectoryLocked {
  return new DirectoryLocked(`a process on the host ${host} uses ${directory}`);
}

/**
 * Takes the lock or throws DirectoryLocked at once. Throws CannotOpen where the file system has no sockets or no hard
 * links: there is no lock without them that also holds between containers.
 */
export async function lockDirectory(
  directory: string,
  watchMachines: WatchMachines = watchOnShared,
): Promise<DirectoryLock> {
  const { base, close: closeHandle } = shortNameOf(directory);
  const path = join(base, socketName);
  try {
    // A socket of another machine is as dead as one that a killed process left: those are looked for first.
    const watch = await watchMachines(directory);
    const server = await takeLock(base, path, directory).catch(async (error: unknown) => {
      await watch?.release();
      throw error;
    });
    return {
      async release() {
        rmSync(path, { force: true });
        await closeServer(server);
        closeHandle();
        await watch?.release();
      },
    };
  } catch (error) {
    closeHandle();
    throw explainLockError(error, directory);
  }
}

/**
 * The lock for who only reads. On a file system that is mounted to be read, as a snapshot of a disk, none can be made: there
 * it is enough that no process holds one. Throws as lockDirectory does.
 */
export async function lockToRead(directory: string): Promise<DirectoryLock> {
  try {
    return await lockDirectory(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EROFS') throw error;
  }
  const { base, close } = shortNameOf(directory);
  const path = join(base, socketName);
  const isHeld = existsSync(path) && (await isAlive(path));
  close();
  if (isHeld) throw lockedBy(directory);
  return { release: async () => undefined };
}

function lockedBy(directory: string): DirectoryLocked {
  return new DirectoryLocked(`another process uses ${directory}`);
}

/** Socket addresses are limited to about 100 bytes; the directory's handle gives any path a short name. */
function shortNameOf(directory: string): { readonly base: string; close(): void } {
  const handle = process.platform === 'linux' ? openSync(directory, 'r') : undefined;
  const shortName = `/proc/self/fd/${handle}`;
  return {
    base: handle !== undefined && existsSync(shortName) ? shortName : directory,
    close() {
      if (handle !== undefined) closeSync(handle);
    },
  };
}

/**
 * The socket is made under a name of its own and then linked to that of the lock: linking fails where the name is
 * taken, and whoever finds the name finds a socket that is listened on, or one whose process is gone.
 */
async function takeLock(base: string, path: string, directory: string): Promise<Server> {
  const id = randomBytes(8).toString('hex');
  const ownPath = `${path}-${id}`;
  checkSocketName(ownPath, directory);
  const server = await listen(ownPath, id);
  let isDeaf: boolean;
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      const found = identityOf(path);
      if (found !== undefined) {
        if (await isAlive(path)) break;
        if (identityOf(path) === found) rmSync(path, { force: true });
      }
      // Another that found the same dead socket may have been as quick, and removed this one for it.
      if (tryLink(ownPath, path) && (await answers(path, id))) {
        for (const name of readdirSync(base)) if (name.startsWith(`${socketName}-`)) rmSync(join(base, name));
        return server;
      }
    }
    isDeaf = identityOf(ownPath) !== undefined && !(await answers(ownPath, id));
  } catch (error) {
    await closeServer(server);
    throw error;
  }
  await closeServer(server);
  if (isDeaf) throw deafSocket(directory);
  throw lockedBy(directory);
}

function listen(path: string, id: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.on('error', () => undefined).end(id));
    server.once('error', reject);
    server.listen(path, () => {
      try {
        chmodSync(path, privateFile);
      } catch {
        // Some mounts know no modes; the directory's own keeps others out, where it can.
      }
      resolve(server.unref());
    });
  });
}

/** Closing also removes the name that the socket was made under. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Tells one file of that name from the next. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino} ${found.ctimeNs}`;
}

/** False where another took the name, or holds the lock and swept the socket away. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Another failure says nothing about the holder: it may be busy, or belong to another user.
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    );
  });
}

/** Whether the one that listens there is the one of that id. */
function answers(path: string, id: string): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    connect(path)
      .setEncoding('utf8')
      .on('data', (data: string) => {
        text += data;
      })
      .on('error', () => resolve(false))
      .on('close', () => resolve(text === id));
  });
}
