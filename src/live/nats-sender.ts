/**
 * Sends messages in order and holds no more than it may: when much is on its way, it waits until NATS has read that
 * before it sends on. What finds no room is not sent, and counted.
 */
export interface Sender {
  /** Messages of one package, made when their turn comes; `bytes` is their size together. */
  offer(subject: string, messages: Iterable<Uint8Array>, bytes: number): void;
  /** Something was never offered: there was no connection. */
  missed(): void;
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

interface Waiting {
  readonly subject: string;
  readonly messages: Iterable<Uint8Array>;
  readonly bytes: number;
}

export function createSender(nats: SenderConnection, limits: SenderLimits): Sender {
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let unconfirmedBytes = 0;
  let isConfirming = false;
  /** Counts connections, so that an answer of an earlier one means nothing. */
  let connection = 0;
  let offered = 0;
  let lost = 0;
  let onEmpty: (() => void)[] = [];

  function toldEmpty(): void {
    const told = onEmpty;
    onEmpty = [];
    for (const tell of told) tell();
  }

  function send({ subject, messages, bytes }: Waiting): void {
    unconfirmedBytes += bytes;
    try {
      for (const message of messages) nats.publish(subject, message);
    } catch {
      lost++;
    }
  }

  function pump(): void {
    let sent = 0;
    while (sent < waiting.length && unconfirmedBytes < limits.windowBytes) {
      const next = waiting[sent++]!;
      waitingBytes -= next.bytes;
      send(next);
    }
    waiting = waiting.slice(sent);
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
    offer(subject, messages, bytes) {
      offered++;
      const item = { subject, messages, bytes };
      if (waiting.length === 0 && unconfirmedBytes < limits.windowBytes) {
        send(item);
        if (unconfirmedBytes >= limits.windowBytes) confirm();
      } else if (waitingBytes + bytes > limits.maxWaitingBytes) {
        lost++;
      } else {
        waiting.push(item);
        waitingBytes += bytes;
      }
    },
    missed() {
      offered++;
      lost++;
    },
    disconnected() {
      connection++;
      isConfirming = false;
      lost += waiting.length + (unconfirmedBytes > 0 ? 1 : 0);
      waiting = [];
      waitingBytes = 0;
      unconfirmedBytes = 0;
      toldEmpty();
    },
    confirm,
    drained: () =>
      waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => onEmpty.push(resolve)),
    get offered() {
      return offered;
    },
    get passed() {
      return offered - waiting.length;
    },
    get lost() {
      return lost;
    },
  };
}
