import { hasScope } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { Client } from './client.ts';
import { type Commands, isOfCommands } from './commands.ts';
import { packetSlices } from './incoming-bytes.ts';
import type { LastValues } from './last-values.ts';
import { namesOfFilter } from './live-topics.ts';
import {
  type ISubscribePacket,
  type ISubscription,
  type IUnsubscribePacket,
  writePacket,
} from './packets.ts';
import { Reason } from './refusals.ts';
import type { Sessions } from './sessions.ts';
import { filterFlaw } from './topic-filter.ts';

/** The most filters of one session. */
const mostFilters = 1000;
/** Filters between two looks at the time. */
const filtersOfStep = 16;

export interface SubscribingParts {
  readonly sessions: Pick<Sessions, 'commands'>;
  readonly lastValues: LastValues;
  /** Resolves when all that was on its way to the store can be read. */
  readonly settled: () => Promise<void>;
}

/** Subscribes, and sends the last values of what it subscribed to. */
export async function subscribeAll(
  { lastValues, settled, sessions: { commands } }: SubscribingParts,
  client: Client,
  packet: ISubscribePacket,
): Promise<void> {
  const { accepted, session, stream, signal } = client;
  const wanted: string[] = [];
  const take = ({ topic: filter, qos, rh = 0 }: ISubscription): number => {
    const refused = refusalOf(client, filter, commands);
    if (refused !== undefined) return refused;
    const given = Math.min(qos, 1) as 0 | 1;
    if (isOfCommands(filter)) {
      commands.subscribe(session, filter, given);
      return given;
    }
    try {
      const isNew = session.subscribe(filter, given);
      if (rh === 0 || (rh === 1 && isNew)) wanted.push(filter);
      return given;
    } catch (error) {
      if (!(error instanceof PitwallError)) throw error;
      return Reason.Quota;
    }
  };
  const granted: number[] = [];
  for (const [i, subscription] of packet.subscriptions.entries()) {
    if (i % filtersOfStep === 0 && packetSlices.isOver()) {
      await packetSlices.turn();
      if (signal.aborted) return;
    }
    granted.push(take(subscription));
  }
  await settled();
  if (signal.aborted) return;
  const codes = accepted.version === 5 ? granted : granted.map((code) => (code > 2 ? 0x80 : code));
  writePacket(stream, { cmd: 'suback', messageId: packet.messageId!, granted: codes }, accepted.version);
  if (wanted.length > 0) await lastValues.send(session, wanted, signal);
}

/** Why a filter is not subscribed to; undefined where it may be. */
function refusalOf({ session, principal }: Client, filter: string, commands: Commands): number | undefined {
  if (filter.startsWith('$share/')) return Reason.NoShared;
  if (filterFlaw(filter) !== undefined || namesOfFilter(filter) === undefined) return Reason.BadFilter;
  if (!hasScope(principal, 'read') && !isOfCommands(filter)) return Reason.NotAuthorized;
  return session.filterCount + commands.countOf(session) >= mostFilters ? Reason.Quota : undefined;
}

export function unsubscribeAll(
  { sessions: { commands } }: SubscribingParts,
  { accepted, session, stream }: Client,
  packet: IUnsubscribePacket,
): void {
  const granted = packet.unsubscriptions.map((filter) =>
    session.unsubscribe(filter) || commands.unsubscribe(session, filter)
      ? Reason.Success
      : Reason.NoSubscription,
  );
  writePacket(stream, { cmd: 'unsuback', messageId: packet.messageId!, granted }, accepted.version);
}
