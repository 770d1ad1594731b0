import type { Admission, Admit } from '../auth/admit.ts';
import { PitwallError } from '../errors.ts';
import { nameFlaw } from '../wire/base/name.ts';
import type { IConnectPacket, Version } from './packets.ts';
import { Reason } from './refusals.ts';

/** What a client wants that may come in. */
export interface Accepted {
  readonly version: Version;
  readonly clientId: string;
  /** The service chose the id. */
  readonly isAssigned: boolean;
  readonly isClean: boolean;
  readonly expiryMs: number;
  readonly keepAliveMs: number;
  /** Undefined where the client's own holds. */
  readonly serverKeepAlive: number | undefined;
  readonly receiveMaximum: number;
  /** Longest packet that it takes, bytes. */
  readonly maxPacketBytes: number;
  readonly wantsReasons: boolean;
  readonly will: IConnectPacket['will'];
}

/** A client that may not come in: the codes of MQTT 5 and of 3.1.1. */
export class Refusal {
  readonly reasonCode: number;
  readonly returnCode: number;
  readonly message: string;

  constructor(reasonCode: number, returnCode: number, message: string) {
    this.reasonCode = reasonCode;
    this.returnCode = returnCode;
    this.message = message;
  }
}

/**
 * A session without a time of its own (3.1.1, `clean session` 0) outlives its connection for so long, and no other
 * for longer.
 */
const longestExpiryMs = 24 * 3600 * 1000;
/** The longest silence of a client before it is taken for gone. */
const longestKeepAliveS = 18 * 3600;

/** Throws a Refusal. */
export function readConnect(packet: IConnectPacket, newId: () => string, maxNameBytes: number): Accepted {
  const version = packet.protocolVersion ?? 4;
  const { properties = {}, clean = true, keepalive = 0 } = packet;
  // A bridge of mosquitto asks for a private form of 3.1.1 first, and comes again with the plain one.
  if ((packet as { bridgeMode?: boolean }).bridgeMode === true)
    throw new Refusal(Reason.BadVersion, 1, 'a private version of MQTT');
  if (properties.authenticationMethod !== undefined)
    throw new Refusal(Reason.BadMethod, 5, 'an authentication method; the token is the password here');
  const isAssigned = packet.clientId === '';
  if (isAssigned && !clean && version < 5)
    throw new Refusal(Reason.BadClientId, 2, 'no client id, with a session to be kept');
  const flaw = isAssigned ? undefined : nameFlaw(packet.clientId, maxNameBytes);
  if (flaw !== undefined) throw new Refusal(Reason.BadClientId, 2, `a client id that ${flaw}`);
  const usual = clean ? 0 : longestExpiryMs;
  const isTooQuiet = keepalive === 0 || keepalive > longestKeepAliveS;
  return {
    version,
    clientId: isAssigned ? newId() : packet.clientId,
    isAssigned,
    isClean: clean,
    expiryMs: version === 5 ? expiryMsOf(properties.sessionExpiryInterval ?? 0) : usual,
    keepAliveMs: (isTooQuiet ? longestKeepAliveS : keepalive) * 1500,
    serverKeepAlive: isTooQuiet ? longestKeepAliveS : undefined,
    receiveMaximum: properties.receiveMaximum ?? 0xffff,
    maxPacketBytes: properties.maximumPacketSize ?? Number.POSITIVE_INFINITY,
    wantsReasons: properties.requestProblemInformation !== false,
    will: packet.will,
  };
}

/** How long a session outlives its connection, of what its client asks for (seconds). */
export function expiryMsOf(asked: number): number {
  return Math.min(asked * 1000, longestExpiryMs);
}

/** What of the token of a connection is asked for. */
export type Login = () => Admission | Promise<Admission>;

/**
 * The token is the password; where there is none, the user, as some devices have only that.
 *
 * @param host of the address, where the connection tells it
 */
export function loginOf(admit: Admit, packet: IConnectPacket, host: string | undefined): Login {
  const { password, username } = packet;
  const token = password === undefined ? username : password.toString();
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  return () => admit({ path: 'mqtt', scope: 'any' }, { authorization, host });
}

/** Why a login failed. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof PitwallError && error.status < 500)
    return new Refusal(Reason.NotAuthorized, 5, error.message.replace('Authorization header', 'password'));
  return new Refusal(Reason.Unavailable, 3, error instanceof Error ? error.message : 'not available');
}
