import type { Incoming, Intake, IntakeSender } from './intake.ts';
import type { IConnectPacket } from './packets.ts';
import type { Session } from './session.ts';
import { topicFlaw } from './topic-filter.ts';

type Will = NonNullable<IConnectPacket['will']>;

/** Longest that a will waits for its client to come back. */
const longestDelayS = 24 * 3600;

/** What clients have written when they go without a goodbye. */
export class Wills {
  readonly #intake: Pick<Intake, 'take'>;
  readonly #nextTime: () => bigint;
  readonly #waiting = new Map<Session, NodeJS.Timeout>();
  readonly #ending = new AbortController();
  readonly #writing = new Set<Promise<unknown>>();

  /** @param nextTime ns, never the same twice */
  constructor(intake: Pick<Intake, 'take'>, nextTime: () => bigint) {
    this.#intake = intake;
    this.#nextTime = nextTime;
  }

  /** A client has gone: what it left is written now, or after the time that it chose. */
  leave(session: Session, sender: IntakeSender, { topic, payload, properties }: Will): void {
    if (topicFlaw(topic) !== undefined) return;
    const { willDelayInterval = 0, userProperties } = properties ?? {};
    const write = (): void => {
      this.#waiting.delete(session);
      const message: Incoming = {
        topic,
        payload: Buffer.from(payload as Buffer),
        packetId: undefined,
        dup: false,
        arrivedAt: this.#nextTime(),
        numberedBefore: 0,
        isOld: false,
        userProperties,
      };
      const writing = this.#intake.take(sender, [message], this.#ending.signal).catch(() => undefined);
      this.#writing.add(writing);
      writing.then(() => this.#writing.delete(writing));
    };
    // It goes with the session at the latest (MQTT 5.0, section 3.1.3.2.2).
    const delayMs = Math.min(willDelayInterval, longestDelayS) * 1000;
    const waitMs = Math.min(delayMs, session.expiryMs);
    if (waitMs === 0) write();
    else this.#waiting.set(session, setTimeout(write, waitMs).unref());
  }

  /** The client is back before its will was written. */
  cancel(session: Session): void {
    clearTimeout(this.#waiting.get(session));
    this.#waiting.delete(session);
  }

  /** Those that wait are not written any more; resolves when those under way are. */
  async stop(): Promise<void> {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    const late = setTimeout(() => this.#ending.abort(new Error('the service stops')), lateMs);
    await Promise.all(this.#writing);
    clearTimeout(late);
  }
}

/** A store that takes nothing does not hold up the end. */
const lateMs = 2000;
