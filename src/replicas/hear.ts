import type { Msg, NatsConnection } from '@nats-io/transport-node';

/** Something that goes on until it is closed. */
export interface Closable {
  close(): void;
}

/** Calls `take` with each message of a subject. */
export function hear(connection: NatsConnection, subject: string, take: (message: Msg) => void): Closable {
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => {
      if (error === null) take(message);
    },
  });
  return {
    close() {
      if (!connection.isClosed()) subscription.unsubscribe();
    },
  };
}
