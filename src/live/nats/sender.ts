import type { Slices } from '../../turns/slices.ts';
import type { Place } from './heartbeat.ts';

/**
 * Sends messages in order and holds no more than it may: when much is on its way, it waits until NATS has read that
 * before it sends on. What finds no room is not sent, and counted.
 */
export interface Sender {
  /**
   * False where there is no room, and the package is lost. `hasRoom`: it belongs to one that was taken, so that a write
   * goes as a whole or not at all.
   */
  offer(offered: Offered, hasRoom?: boolean): boolean;
  /** Something was never offered: there was no connection, or it was let go before. Where a place is given, it was of that topic. */
  missed(place?: Place): void;
  /** What waits, and what NATS has not confirmed, did not or may not have arrived. */
  disconnected(): void;
  /** Asks NATS to confirm what is on its way. */
  confirm(): void;
  /** Resolves when nothing waits any more. */
  drained(): Promise<void>;
  /** Packages so far. */
  readonly offered: number;
  /** Packages that do not wait any more: they were sent or lost. */
  readonly passed: number;
  /** Those that were not sent, or perhaps did not arrive. */
  readonly lost: number;
  /** Lost packages of which `onLost` was not told. */
  readonly lostAnywhere: number;
}

/** A package that is to be sent. */
export interface Offered {
  readonly subject: string;
  /** Whose readers may miss it. */
  readonly place: Place;
  /** Made when their turn comes; undefined where others may have the thread before the next is made. */
  readonly messages: Iterable<Uint8Array | undefined>;
  /** Their size together, about. */
  readonly bytes: number;
}

/** As much of the connection to NATS as the sender needs. */
export interface SenderConnection {
  /** May throw; the message is lost then. */
  publish(subject: string, message: Uint8Array): void;
  /** Resolves when NATS has read all that was published. */
  flush(): Promise<void>;
}

export interface SenderLimits {
  /** Bytes that may wait here. */
  readonly maxWaitingBytes: number;
  /** Bytes that may be on their way to NATS without its word that it has read them. */
  readonly windowBytes: number;
}

/** A package of which some messages may be sent. */
interface Sending {
  readonly item: Offered;
  readonly messages: Iterator<Uint8Array | undefined>;
}

/** @param onLost a package of this topic was lost while NATS was there */
export function createSender(
  nats: SenderConnection,
  limits: SenderLimits,
  onLost: (place: Place) => void,
  slices: Pick<Slices, 'isOver' | 'later'>,
): Sender {
  return new NatsSender(nats, limits, onLost, slices);
}

class NatsSender implements Sender {
  readonly #nats: SenderConnection;
  readonly #limits: SenderLimits;
  readonly #onLost: (place: Place) => void;
  readonly #slices: Pick<Slices, 'isOver' | 'later'>;
  /** Messages in their order. */
  #waiting: Offered[] = [];
  /** The one whose package is being encoded. */
  #sending: Sending | undefined;
  #waitingBytes = 0;
  /** Sent since the server confirmed the last time. */
  #unconfirmedBytes = 0;
  #isConfirming = false;
  /** The rest of a package waits for its turn. */
  #isPumpLater = false;
  /** Counts connections, so that an answer of an earlier one means nothing. */
  #connection = 0;
  #offered = 0;
  /** Messages of which no place is known any more. */
  #lostAnywhere = 0;
  #lostPlaces = 0;
  /** Who waits until nothing does. */
  #onEmpty: (() => void)[] = [];

  constructor(
    nats: SenderConnection,
    limits: SenderLimits,
    onLost: (place: Place) => void,
    slices: Pick<Slices, 'isOver' | 'later'>,
  ) {
    this.#nats = nats;
    this.#limits = limits;
    this.#onLost = onLost;
    this.#slices = slices;
  }

  readonly missed = (place?: Place): void => {
    this.#offered++;
    if (place === undefined) this.#lostAnywhere++;
    else this.#lose(place);
  };

  offer(item: Offered, hasRoom: boolean = false): boolean {
    this.#offered++;
    const { bytes } = item;
    if (
      this.#waiting.length === 0 &&
      this.#sending === undefined &&
      this.#unconfirmedBytes < this.#limits.windowBytes
    ) {
      this.#send(item);
      if (this.#unconfirmedBytes >= this.#limits.windowBytes) this.confirm();
    } else if (
      !hasRoom &&
      this.#waitingBytes > 0 &&
      this.#waitingBytes + bytes > this.#limits.maxWaitingBytes
    ) {
      this.#lose(item.place);
      return false;
    } else {
      this.#waiting.push(item);
      this.#waitingBytes += bytes;
    }
    return true;
  }

  disconnected(): void {
    this.#connection++;
    this.#isConfirming = false;
    this.#lostAnywhere += this.#waiting.length + (this.#unconfirmedBytes > 0 ? 1 : 0);
    this.#waiting = [];
    this.#sending = undefined;
    this.#waitingBytes = 0;
    this.#unconfirmedBytes = 0;
    this.#toldEmpty();
  }

  confirm(): void {
    if (this.#isConfirming || this.#unconfirmedBytes === 0) return;
    this.#isConfirming = true;
    const asked = this.#unconfirmedBytes;
    const asking = this.#connection;
    this.#nats.flush().then(
      () => {
        if (asking !== this.#connection) return;
        this.#isConfirming = false;
        this.#unconfirmedBytes -= asked;
        this.#pump();
      },
      // The connection is gone; `disconnected` is told by itself.
      () => undefined,
    );
  }

  drained(): Promise<void> {
    return this.#waiting.length === 0 && this.#sending === undefined
      ? Promise.resolve()
      : new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  get offered(): number {
    return this.#offered;
  }

  get passed(): number {
    return this.#offered - this.#waiting.length - (this.#sending === undefined ? 0 : 1);
  }

  get lost(): number {
    return this.#lostAnywhere + this.#lostPlaces;
  }

  get lostAnywhere(): number {
    return this.#lostAnywhere;
  }

  #toldEmpty(): void {
    const told = this.#onEmpty;
    this.#onEmpty = [];
    for (const tell of told) tell();
  }

  #lose(place: Place): void {
    this.#lostPlaces++;
    this.#onLost(place);
  }

  #send(item: Offered): void {
    this.#unconfirmedBytes += item.bytes;
    this.#sending = { item, messages: item.messages[Symbol.iterator]() };
    this.#goOn(this.#sending);
  }

  /** Sends what is left of a package, or some of it, and then goes on in a later turn. */
  #goOn({ item, messages }: Sending): void {
    try {
      for (let next = messages.next(); next.done !== true; next = messages.next()) {
        if (next.value !== undefined) this.#nats.publish(item.subject, next.value);
        else if (this.#slices.isOver()) {
          this.#pumpLater();
          return;
        }
      }
    } catch {
      this.#lose(item.place);
    }
    this.#sending = undefined;
  }

  /** Once, however often NATS confirms meanwhile: each more would take a turn from others as long as there is work. */
  #pumpLater(): void {
    if (this.#isPumpLater) return;
    this.#isPumpLater = true;
    this.#slices.later(() => {
      this.#isPumpLater = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#sending !== undefined) this.#goOn(this.#sending);
    let sent = 0;
    while (
      this.#sending === undefined &&
      sent < this.#waiting.length &&
      this.#unconfirmedBytes < this.#limits.windowBytes
    ) {
      const next = this.#waiting[sent++]!;
      this.#waitingBytes -= next.bytes;
      this.#send(next);
    }
    this.#waiting = this.#waiting.slice(sent);
    if (this.#sending !== undefined) return;
    if (this.#unconfirmedBytes >= this.#limits.windowBytes) this.confirm();
    if (this.#waiting.length === 0) this.#toldEmpty();
  }
}
