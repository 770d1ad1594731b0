import type { Slices } from '../turns/slices.ts';
import type { Place } from './nats-beat.ts';

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
  /** Those of them that do not wait any more: they were sent or lost. */
  readonly passed: number;
  /** Those that were not sent, or perhaps did not arrive. */
  readonly lost: number;
  /** Those of them of which `onLost` was not told. */
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
  slices: Slices,
): Sender {
  let waiting: Offered[] = [];
  let sending: Sending | undefined;
  let waitingBytes = 0;
  let unconfirmedBytes = 0;
  let isConfirming = false;
  /** The rest of a package waits for its turn. */
  let isPumpLater = false;
  /** Counts connections, so that an answer of an earlier one means nothing. */
  let connection = 0;
  let offered = 0;
  let lostAnywhere = 0;
  let lostPlaces = 0;
  let onEmpty: (() => void)[] = [];

  function toldEmpty(): void {
    const told = onEmpty;
    onEmpty = [];
    for (const tell of told) tell();
  }

  function lose(place: Place): void {
    lostPlaces++;
    onLost(place);
  }

  function send(item: Offered): void {
    unconfirmedBytes += item.bytes;
    sending = { item, messages: item.messages[Symbol.iterator]() };
    goOn(sending);
  }

  /** Sends what is left of a package, or some of it, and then goes on in a later turn. */
  function goOn({ item, messages }: Sending): void {
    try {
      for (let next = messages.next(); next.done !== true; next = messages.next()) {
        if (next.value !== undefined) nats.publish(item.subject, next.value);
        else if (slices.isOver()) {
          pumpLater();
          return;
        }
      }
    } catch {
      lose(item.place);
    }
    sending = undefined;
  }

  /** Once, however often NATS confirms meanwhile: each more would take a turn from others as long as there is work. */
  function pumpLater(): void {
    if (isPumpLater) return;
    isPumpLater = true;
    slices.later(() => {
      isPumpLater = false;
      pump();
    });
  }

  function pump(): void {
    if (sending !== undefined) goOn(sending);
    let sent = 0;
    while (sending === undefined && sent < waiting.length && unconfirmedBytes < limits.windowBytes) {
      const next = waiting[sent++]!;
      waitingBytes -= next.bytes;
      send(next);
    }
    waiting = waiting.slice(sent);
    if (sending !== undefined) return;
    if (unconfirmedBytes >= limits.windowBytes) confirm();
    if (waiting.length === 0) toldEmpty();
  }

  function confirm(): void {
    if (isConfirming || unconfirmedBytes === 0) return;
    isConfirming = true;
    const asked = unconfirmedBytes;
    const asking = connection;
    nats.flush().then(
      () => {
        if (asking !== connection) return;
        isConfirming = false;
        unconfirmedBytes -= asked;
        pump();
      },
      // The connection is gone; `disconnected` is told by itself.
      () => undefined,
    );
  }

  return {
    offer(item, hasRoom = false) {
      offered++;
      const { bytes } = item;
      if (waiting.length === 0 && sending === undefined && unconfirmedBytes < limits.windowBytes) {
        send(item);
        if (unconfirmedBytes >= limits.windowBytes) confirm();
      } else if (!hasRoom && waitingBytes > 0 && waitingBytes + bytes > limits.maxWaitingBytes) {
        lose(item.place);
        return false;
      } else {
        waiting.push(item);
        waitingBytes += bytes;
      }
      return true;
    },
    missed(place) {
      offered++;
      if (place === undefined) lostAnywhere++;
      else lose(place);
    },
    disconnected() {
      connection++;
      isConfirming = false;
      lostAnywhere += waiting.length + (unconfirmedBytes > 0 ? 1 : 0);
      waiting = [];
      sending = undefined;
      waitingBytes = 0;
      unconfirmedBytes = 0;
      toldEmpty();
    },
    confirm,
    drained: () =>
      waiting.length === 0 && sending === undefined
        ? Promise.resolve()
        : new Promise((resolve) => onEmpty.push(resolve)),
    get offered() {
      return offered;
    },
    get passed() {
      return offered - waiting.length - (sending === undefined ? 0 : 1);
    },
    get lost() {
      return lostAnywhere + lostPlaces;
    },
    get lostAnywhere() {
      return lostAnywhere;
    },
  };
}
