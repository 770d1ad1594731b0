/**
 * Called between pieces of work of well below a millisecond. Gives a promise to wait for where others are to have their turn:
 * requests, sockets, or a page that has to draw. Throws where the work is not to go on.
 */
export type Pace = () => Promise<void> | undefined;

/** What tells work that it is not to go on: an AbortSignal, or a flag in memory that threads share. */
export interface Ending {
  /** Throws the reason from the moment on in which the work has ended. */
  throwIfAborted(): void;
}

/** For those who need no turns: a command has nothing else to do. */
export const withoutPause: Pace = () => undefined;

/** Of work that nobody ends. */
export const neverAborted: AbortSignal = new AbortController().signal;
