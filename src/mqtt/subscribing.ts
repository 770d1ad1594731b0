import { hasScope } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { Door } from '../ingest/doors.ts';
import { excerpt } from '../wire/base/name.ts';
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
  readonly door: Door;
  readonly sessions: Pick<Sessions, 'commands'>;
  readonly lastValues: LastValues;
  /** Resolves when all that was on its way to the store can be read. */
  readonly settled: () => Promise<void>;
  readonly onRefusedClient: (reason: string) => void;
}

/** Why a filter is not subscribed to: for its client, and as it is counted. */
interface RefusedFilter {
  readonly code: number;
  readonly reason: string;
}

/** Subscribes, and sends the last values of what it subscribed to. */
export async function subscribeAll(
  parts: SubscribingParts,
  client: Client,
  packet: ISubscribePacket,
): Promise<void> {
  const { lastValues, settled } = parts;
  const { commands } = parts.sessions;
  const { accepted, session, stream, signal } = client;
  const wanted: string[] = [];
  const refuse = (filter: string, { code, reason }: RefusedFilter): number => {
    parts.door.refused(reason);
    parts.onRefusedClient(`the filter ${excerpt(filter)} is refused: ${reason}`);
    return code;
  };
  const take = ({ topic: filter, qos, rh = 0 }: ISubscription): number => {
    const refused = refusalOf(client, filter, commands);
    if (refused !== undefined) return refuse(filter, refused);
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
      return refuse(filter, { code: Reason.Quota, reason: error.code });
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

/** Undefined where it may be. */
function refusalOf(
  { session, principal }: Client,
  filter: string,
  commands: Commands,
): RefusedFilter | undefined {
  if (filter.startsWith('$share/')) return { code: Reason.NoShared, reason: 'bad_filter' };
  if (filterFlaw(filter) !== undefined || namesOfFilter(filter) === undefined)
    return { code: Reason.BadFilter, reason: 'bad_filter' };
  if (!hasScope(principal, 'read') && !isOfCommands(filter))
    return { code: Reason.NotAuthorized, reason: 'forbidden' };
  if (session.filterCount + commands.countOf(session) < mostFilters) return undefined;
  return { code: Reason.Quota, reason: 'too_many_filters' };
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
