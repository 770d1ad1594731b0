import { hasScope } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { Door } from '../ingest/doors.ts';
import type { Client } from './client.ts';
import type { Incoming, Intake, IntakeSender } from './intake.ts';
import { BadPacket, type Packet, type Publish, writePacket } from './packets.ts';
import { Reason, reasonOf } from './refusals.ts';
import { digestOf, mostUnderWay } from './repeats.ts';
import { topicFlaw } from './topic-filter.ts';

export interface TakingParts {
  readonly intake: Pick<Intake, 'take'>;
  readonly door: Door;
  readonly onRefused: (topic: string, reason: string) => void;
  readonly maxPacketBytes: number;
  /** ns, never the same twice. */
  readonly nextTime: () => bigint;
  /** Messages that are marked as retained are not new: a broker keeps them. */
  readonly retainedAreOld?: true;
}

/** Whose messages are taken. */
export interface TakingClient extends Pick<Client, 'sender' | 'stream' | 'signal' | 'principal'> {
  readonly accepted: Pick<Client['accepted'], 'version' | 'wantsReasons'>;
  readonly session: Pick<Client['session'], 'unreleased' | 'writing'>;
}

/** The most bytes of messages that are written together. */
const mostBatchBytes = 1 << 20;

type Outcome = PitwallError | undefined;

/**
 * Takes the messages at the front of a queue out of it, and acknowledges them in their order when their rows are
 * synced. Throws a BadPacket; rejects with the reason of the client's signal where that ends it.
 */
export async function takeMessages(parts: TakingParts, client: TakingClient, queue: Packet[]): Promise<void> {
  const packets = queue.splice(0, batchLength(queue)) as Publish[];
  const outcomes = new Map<Publish, Outcome>();
  const taken = packets.filter((packet) => !isDone(parts, client, packet, outcomes));
  if (taken.length > 0) {
    const messages = taken.map((packet) => incoming(parts, client.sender, packet));
    const writing = parts.intake.take(client.sender, messages, client.signal);
    client.session.writing = writing;
    const results = await writing;
    for (const [i, packet] of taken.entries()) outcomes.set(packet, results[i]);
  }
  if (client.signal.aborted) return;
  acknowledgeAll(client, packets, outcomes);
}

/** The acknowledgements of all that was taken over QoS 1 are written as one. */
function acknowledgeAll(
  client: TakingClient,
  packets: readonly Publish[],
  outcomes: ReadonlyMap<Publish, Outcome>,
): void {
  const { stream } = client;
  stream.cork();
  let plain: number[] = [];
  const flush = (): void => {
    if (plain.length > 0) stream.write(Buffer.from(plain));
    plain = [];
  };
  for (const packet of packets) {
    const { qos, messageId = 0 } = packet;
    const error = outcomes.get(packet);
    if (qos === 1 && error === undefined) plain.push(puback, 2, messageId >> 8, messageId & 0xff);
    else if (qos > 0) {
      flush();
      acknowledge(client, packet, error);
    }
  }
  flush();
  stream.uncork();
}

/** A PUBACK without a reason is one of success, in each version. */
const puback = 0x40;

function batchLength(queue: readonly Packet[]): number {
  let count = 0;
  let bytes = 0;
  for (const packet of queue) {
    if (packet.cmd !== 'publish' || count === mostUnderWay) break;
    bytes += packet.payload.length;
    if (count > 0 && bytes > mostBatchBytes) break;
    count++;
  }
  return count;
}

/** Whether nothing of a message is to be written: it is not allowed, or was taken before. */
function isDone(
  parts: TakingParts,
  { session, principal }: TakingClient,
  packet: Publish,
  outcomes: Map<Publish, Outcome>,
): boolean {
  const { topic, qos, messageId = 0, properties, tooLong } = packet;
  if (properties?.topicAlias !== undefined)
    throw new BadPacket('a topic alias, of which there are none', Reason.ProtocolError);
  // A client that has forgotten what it sent begins its numbers anew, with other messages.
  if (qos === 2 && session.unreleased.get(messageId) === digestOfPacket(packet)) return true;
  const refused = refusedAtOnce(parts, { topic, tooLong, mayWrite: hasScope(principal, 'write') });
  if (refused === undefined) return false;
  if (refused !== 'dropped') outcomes.set(packet, refused);
  return true;
}

function digestOfPacket({ topic, payload }: Publish): string {
  return digestOf({ topic, payload: payload as Buffer });
}

/** What tells of a message that it is not to be read at all. */
interface Unread {
  readonly topic: string;
  readonly tooLong?: number | undefined;
  readonly mayWrite: boolean;
}

/**
 * Why a message is not to be read at all, which is counted; undefined for one that is. It is acknowledged, and not
 * answered with the end of the connection: the client would send it again for ever.
 */
export function refusedAtOnce(
  { door, onRefused, maxPacketBytes }: TakingParts,
  { topic, tooLong, mayWrite }: Unread,
): PitwallError | 'dropped' | undefined {
  if (topic.startsWith('$SYS/')) {
    door.refused('sys_topic');
    return 'dropped';
  }
  const flaw = topicFlaw(topic);
  let error: PitwallError;
  if (!mayWrite) error = new PitwallError('forbidden', { detail: 'this needs the scope write' });
  else if (flaw !== undefined) error = new PitwallError('bad_name', { detail: flaw });
  else if (tooLong !== undefined) {
    const detail = `a message of ${tooLong} bytes; ${maxPacketBytes} are allowed`;
    error = new PitwallError('body_too_large', { detail });
  } else return undefined;
  door.refused(error.code);
  onRefused(topic, error.message);
  return error;
}

function incoming(
  { nextTime, retainedAreOld }: TakingParts,
  sender: IntakeSender,
  { topic, payload, qos, messageId, dup, retain, properties }: Publish,
): Incoming {
  return {
    topic,
    payload: payload as Buffer,
    packetId: qos > 0 ? messageId : undefined,
    dup,
    arrivedAt: nextTime(),
    numberedBefore: qos > 0 ? sender.numbered++ : 0,
    isOld: retain && retainedAreOld === true,
    userProperties: properties?.userProperties,
  };
}

function acknowledge(
  { accepted: { version, wantsReasons }, session, stream }: TakingClient,
  packet: Publish,
  error: Outcome,
): void {
  const { qos, messageId = 0 } = packet;
  if (qos === 2 && (error === undefined || version < 5))
    session.unreleased.set(messageId, digestOfPacket(packet));
  const told = error !== undefined && wantsReasons && error.code !== 'internal';
  writePacket(
    stream,
    {
      cmd: qos === 1 ? 'puback' : 'pubrec',
      messageId,
      reasonCode: error === undefined ? Reason.Success : reasonOf(error),
      ...(told && { properties: { reasonString: error.message } }),
    },
    version,
  );
}
