/** What bounds one client of the hub; only the connection that goes beyond suffers. The last one bounds all together. */
export interface HubLimits {
  /** Time from the begin of the transport to a whole handshake request, in milliseconds. */
  readonly handshakeTimeoutMs: number;
  /** A ping goes out when nothing else did for so long. */
  readonly keepAliveMs: number;
  /** A client that pings is taken for dead after so long without a word. */
  readonly clientTimeoutMs: number;
  /** One message of a client. */
  readonly maxMessageBytes: number;
  /** Bytes of a client that wait for the rest of their message, or of their WebSocket message, which may hold several. */
  readonly maxUnfinishedBytes: number;
  /** Levels of nesting in an argument; 64 at most, where the scanner of JSON ends. */
  readonly maxDepth: number;
  /** Connections at one time with one token. */
  readonly maxConnectionsPerToken: number;
  /** Subscriptions at one time with one token. */
  readonly maxSubscriptionsPerToken: number;
  /** Invocations of one connection that are not answered yet; more stay unread until one is. */
  readonly maxInvocationsInFlight: number;
  /** Messages that wait for one reader, in bytes; a reader that falls further behind is closed. */
  readonly maxQueueBytes: number;
  /** Messages that wait for all readers together, in bytes of memory; beyond it the slowest are closed. */
  readonly maxTotalQueueBytes: number;
}

export const defaultHubLimits: HubLimits = {
  handshakeTimeoutMs: 15_000,
  keepAliveMs: 15_000,
  clientTimeoutMs: 30_000,
  maxMessageBytes: 32 * 2 ** 20,
  // Clients send what has queued up as one: several messages of the largest size are nothing unusual.
  maxUnfinishedBytes: 64 * 2 ** 20,
  maxDepth: 64,
  maxConnectionsPerToken: 10_000,
  maxSubscriptionsPerToken: 100_000,
  maxInvocationsInFlight: 1000,
  maxQueueBytes: 16 * 2 ** 20,
  maxTotalQueueBytes: 256 * 2 ** 20,
};
