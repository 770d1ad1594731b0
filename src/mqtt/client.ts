import type { Duplex } from 'node:stream';
import type { Principal } from '../domain/principal.ts';
import type { Accepted, Login } from './connect.ts';
import type { IntakeSender } from './intake.ts';
import type { ClientOutlet } from './outlet.ts';
import type { Session } from './session.ts';

/** A client that has come in, over one connection. */
export interface Client {
  readonly accepted: Accepted;
  readonly login: Login;
  readonly sender: IntakeSender;
  readonly session: Session;
  readonly stream: Duplex;
  readonly outlet: ClientOutlet;
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal;
  /** As its token was when it was looked up last. */
  principal: Principal;
}
