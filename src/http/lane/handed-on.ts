import type { Socket } from 'node:net';
import type { Admission, Guarded, Shown } from '../../auth/admit.ts';

/**
 * Requests that the lane has begun to admit and hands on, by their connection. Whoever answers them takes the outcome from
 * here: it neither asks for the token again nor counts a refusal twice.
 */
export interface HandedOn {
  put(socket: Socket, route: Guarded, request: Shown, admission: Promise<Admission>): void;
  /** The outcome for this request, once; undefined where the lane has not seen it. */
  take(socket: Socket, route: Guarded, request: Shown): Promise<Admission> | undefined;
}

export function createHandedOn(): HandedOn {
  const bySocket = new WeakMap<
    Socket,
    { readonly route: Guarded; readonly shown: Shown; readonly admission: Promise<Admission> }
  >();
  return {
    put(socket, route, { authorization, host }, admission) {
      // It may be refused before anyone takes it.
      admission.catch(() => undefined);
      bySocket.set(socket, { route, shown: { authorization, host }, admission });
    },

    take(socket, route, { authorization, host }) {
      const held = bySocket.get(socket);
      if (held === undefined) return undefined;
      bySocket.delete(socket);
      const { shown } = held;
      const isSame = held.route === route && shown.authorization === authorization && shown.host === host;
      return isSame ? held.admission : undefined;
    },
  };
}
