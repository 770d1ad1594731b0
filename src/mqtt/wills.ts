import { hasScope } from '../domain/principal.ts';
import type { Client } from './client.ts';
import type { Incoming, IntakeSender } from './intake.ts';
import type { IConnectPacket } from './packets.ts';
import type { Session } from './session.ts';
import { refusedAtOnce, type TakingParts } from './taking.ts';

type Will = NonNullable<IConnectPacket['will']>;

/** Longest that a will waits for its client to come back. */
const longestDelayS = 24 * 3600;
/** The most bytes of wills that wait, or that the store does not take yet. */
const mostBytes = 16 << 20;
/** What a will takes beside its payload. */
const willBytes = 500;
/** How long wills may take to be stored at the end: a store that takes nothing does not hold it up. */
const lateMs = 2000;

interface Waiting {
  readonly bytes: number;
  readonly timer: NodeJS.Timeout;
  readonly write: () => void;
}

/** What clients have written when they go without a goodbye. */
export class Wills {
  readonly #parts: TakingParts;
  readonly #waiting = new Map<Session, Waiting>();
  readonly #ending = new AbortController();
  readonly #writing = new Set<Promise<unknown>>();
  #bytes = 0;

  constructor(parts: TakingParts) {
    this.#parts = parts;
  }

  /** A client has gone: what it left is written now, or after the time that it chose. */
  leave({ session, sender, principal }: Client, will: Will): void {
    const { topic, payload, properties: { willDelayInterval = 0 } = {} } = will;
    if (refusedAtOnce(this.#parts, { topic, mayWrite: hasScope(principal, 'write') })) return;
    const bytes = payload.length + willBytes;
    if (this.#bytes + bytes > mostBytes) {
      this.#parts.door.refused('overloaded');
      this.#parts.onRefused(topic, 'a will for which there is no room: too many wait');
      return;
    }
    this.#bytes += bytes;
    const write = (): void => {
      this.#waiting.delete(session);
      this.#write(sender, will, bytes);
    };
    // It goes with the session at the latest (MQTT 5.0, section 3.1.3.2.2).
    const delayMs = Math.min(willDelayInterval, longestDelayS) * 1000;
    const waitMs = Math.min(delayMs, session.expiryMs);
    if (waitMs === 0) write();
    else this.#waiting.set(session, { bytes, timer: setTimeout(write, waitMs).unref(), write });
  }

  /** The client is back before its will was written. */
  cancel(session: Session): void {
    const waiting = this.#waiting.get(session);
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    this.#waiting.delete(session);
    this.#bytes -= waiting.bytes;
  }

  /** A session has ended before its client was back. */
  sessionEnded(session: Session): void {
    const waiting = this.#waiting.get(session);
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    waiting.write();
  }

  /** Sessions end with the service: those that wait are written; resolves when all are. */
  async stop(): Promise<void> {
    for (const session of this.#waiting.keys()) this.sessionEnded(session);
    const late = setTimeout(() => this.#ending.abort(new Error('the service stops')), lateMs);
    await Promise.all(this.#writing);
    clearTimeout(late);
  }

  #write(sender: IntakeSender, { topic, payload, properties }: Will, bytes: number): void {
    const message: Incoming = {
      topic,
      payload: Buffer.from(payload as Buffer),
      packetId: undefined,
      dup: false,
      arrivedAt: this.#parts.nextTime(),
      numberedBefore: 0,
      isOld: false,
      userProperties: properties?.userProperties,
    };
    const writing = this.#parts.intake.take(sender, [message], this.#ending.signal).catch(() => undefined);
    this.#writing.add(writing);
    writing.then(() => {
      this.#writing.delete(writing);
      this.#bytes -= bytes;
    });
  }
}
