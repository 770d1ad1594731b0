import type { Config } from '../config.ts';
import type { HubLimits } from '../hub/connection/hub-limits.ts';

/** The settings of the hub as it takes them. */
export function hubLimits(config: Config): HubLimits {
  return {
    handshakeTimeoutMs: config.hubHandshakeTimeout,
    keepAliveMs: config.hubKeepAlive,
    clientTimeoutMs: config.hubClientTimeout,
    maxMessageBytes: config.hubMaxMessageBytes,
    maxUnfinishedBytes: config.hubMaxUnfinishedBytes,
    maxDepth: config.hubMaxDepth,
    maxConnectionsPerToken: config.hubMaxConnections,
    maxSubscriptionsPerToken: config.hubMaxSubscriptions,
    maxInvocationsInFlight: config.hubMaxInFlight,
    maxQueueBytes: config.hubMaxQueueBytes,
    maxTotalQueueBytes: config.hubMaxTotalQueueBytes,
  };
}
