import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/**
 * One process per data directory. The lock is a Unix socket in the directory on which its holder listens: the
 * kernel ends it with the process, however that dies, and it works across containers that share the directory,
 * where process numbers say nothing.
 */
export interface DirectoryLock {
  release(): Promise<void>;
}

export class DirectoryLocked extends Error {}

const socketName = 'lock';

/** Takes the lock or throws DirectoryLocked at once. */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  // Socket addresses are limited to about 100 bytes; the directory's handle gives any path a short name.
  const handle = process.platform === 'linux' ? openSync(directory, 'r') : undefined;
  const base = handle === undefined ? directory : `/proc/self/fd/${handle}`;
  const path = join(base, socketName);
  try {
    const server = await takeOver(path, directory);
    return {
      async release() {
        await new Promise<void>((resolve) => server.close(() => resolve()));
        await unlink(path).catch(() => undefined);
        if (handle !== undefined) closeSync(handle);
      },
    };
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    throw error;
  }
}

async function takeOver(path: string, directory: string): Promise<Server> {
  const locked = () => new DirectoryLocked(`another process uses ${directory}`);
  for (let attempt = 0; attempt < 3; attempt++) {
    const server = await listen(path);
    if (server !== undefined) return server;
    if (await isAlive(path)) throw locked();
    // Only one process can rename the dead socket away; one that got hold of a living one puts it back.
    const aside = `${path}-${randomBytes(6).toString('hex')}`;
    try {
      await rename(path, aside);
    } catch {
      continue;
    }
    if (await isAlive(aside)) {
      await rename(aside, path);
      throw locked();
    }
    await unlink(aside);
  }
  throw locked();
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => resolve(server.unref()));
  });
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
