/**
 * The life of a connection as a total table: what every event means in every state.
 *
 *   negotiated   has an id, no transport yet
 *   handshaking  has a transport, waits for the handshake request
 *   connected    exchanges messages
 *   finishing    the service stops: calls in flight are answered, nothing new is taken
 *   draining     its last message is queued; the transport carries what is left, and ends
 *   closed       is forgotten
 */
export const states = ['negotiated', 'handshaking', 'connected', 'finishing', 'draining', 'closed'] as const;
export type State = (typeof states)[number];

/**
 *   attached  a transport has begun
 *   accepted  the handshake request was good
 *   refused   the handshake request was not
 *   faulted   the connection cannot go on: broken input, a reader too slow, a token that is valid no more
 *   left      the client said that it goes: a Close message, or DELETE
 *   stopping  the service stops
 *   idle      no call is in flight
 *   lost      the transport is gone
 *   expired   the state has lasted too long
 */
export const lifecycleEvents = [
  'attached',
  'accepted',
  'refused',
  'faulted',
  'left',
  'stopping',
  'idle',
  'lost',
  'expired',
] as const;
export type LifecycleEvent = (typeof lifecycleEvents)[number];

/** What the client is told on the way into `to`. */
export type Farewell = 'nothing' | 'handshakeError' | 'closeWithError' | 'closeToReconnect';

export interface Step {
  readonly to: State;
  readonly say: Farewell;
}

const go = (to: State, say: Farewell = 'nothing'): Step => ({ to, say });
/** The event has no meaning in the state, or none any more. */
const stay = undefined;

const table: Readonly<Record<State, Readonly<Record<LifecycleEvent, Step | undefined>>>> = {
  negotiated: {
    attached: go('handshaking'),
    accepted: stay,
    refused: stay,
    faulted: go('closed'),
    left: go('closed'),
    stopping: go('closed'),
    idle: stay,
    lost: go('closed'),
    expired: go('closed'),
  },
  handshaking: {
    attached: stay,
    accepted: go('connected'),
    refused: go('draining', 'handshakeError'),
    faulted: go('draining', 'handshakeError'),
    left: go('closed'),
    stopping: go('draining', 'handshakeError'),
    idle: stay,
    lost: go('closed'),
    expired: go('draining', 'handshakeError'),
  },
  connected: {
    attached: stay,
    accepted: stay,
    refused: stay,
    faulted: go('draining', 'closeWithError'),
    left: go('draining'),
    stopping: go('finishing'),
    idle: stay,
    lost: go('closed'),
    expired: go('draining', 'closeWithError'),
  },
  finishing: {
    attached: stay,
    accepted: stay,
    refused: stay,
    faulted: go('draining', 'closeWithError'),
    left: go('draining'),
    stopping: stay,
    idle: go('draining', 'closeToReconnect'),
    lost: go('closed'),
    expired: go('draining', 'closeToReconnect'),
  },
  draining: {
    attached: stay,
    accepted: stay,
    refused: stay,
    faulted: stay,
    left: stay,
    stopping: stay,
    idle: stay,
    lost: go('closed'),
    expired: go('closed'),
  },
  closed: {
    attached: stay,
    accepted: stay,
    refused: stay,
    faulted: stay,
    left: stay,
    stopping: stay,
    idle: stay,
    lost: stay,
    expired: stay,
  },
};

/** Where an event leads, or undefined where the state stays as it is. */
export function step(state: State, event: LifecycleEvent): Step | undefined {
  return table[state][event];
}
