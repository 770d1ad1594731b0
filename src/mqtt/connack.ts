import type { Duplex } from 'node:stream';
import type { Accepted, Refusal } from './connect.ts';
import { type Version, writePacket } from './packets.ts';
import { mostUnderWay } from './repeats.ts';

/** The client may not come in. */
export function sendRefusal(stream: Duplex, { reasonCode, returnCode }: Refusal, version: Version): void {
  if (!stream.writable) return;
  writePacket(stream, { cmd: 'connack', sessionPresent: false, reasonCode, returnCode }, version);
}

/** The client may come in; MQTT 5 is told what holds here. */
export function sendAccepted(
  stream: Duplex,
  accepted: Accepted,
  sessionPresent: boolean,
  maximumPacketSize: number,
): void {
  const { version, expiryMs, isAssigned, clientId, serverKeepAlive } = accepted;
  const properties = {
    receiveMaximum: mostUnderWay,
    maximumPacketSize,
    topicAliasMaximum: 0,
    subscriptionIdentifiersAvailable: false,
    sharedSubscriptionAvailable: false,
    sessionExpiryInterval: expiryMs / 1000,
    ...(isAssigned && { assignedClientIdentifier: clientId }),
    ...(serverKeepAlive !== undefined && { serverKeepAlive }),
  };
  const codes = { reasonCode: 0, returnCode: 0, sessionPresent };
  writePacket(stream, { cmd: 'connack', ...codes, ...(version === 5 && { properties }) }, version);
}
