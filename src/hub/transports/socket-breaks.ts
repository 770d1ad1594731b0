import type { Socket } from 'node:net';

/** Who waits for a socket to break. One listener serves them all: a proxy's socket carries many connections. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/** Calls `action` if the socket ends with an error; the function that comes back takes that back. */
export function onBreak(socket: Socket, action: () => void): () => void {
  const actions = waiting.get(socket) ?? watch(socket);
  actions.add(action);
  return () => actions.delete(action);
}

function watch(socket: Socket): Set<() => void> {
  const actions = new Set<() => void>();
  waiting.set(socket, actions);
  socket.once('close', (hadError: boolean) => {
    if (!hadError) return;
    for (const action of [...actions]) action();
  });
  return actions;
}
