/** The half of a connection that has the socket. It takes from the connection's queue, and says when it is gone. */
export interface Transport {
  readonly name: TransportName;
  /** There is more in the queue, or it has ended. */
  flush(): void;
  /** Ends now, whatever is still queued. */
  cut(): void;
  /** Comes about once a second. */
  tick(now: number): void;
}

export type TransportName = 'WebSockets' | 'ServerSentEvents' | 'LongPolling';
