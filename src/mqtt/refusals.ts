import { type ErrorCode, PitwallError } from '../errors.ts';
import { BadPacket } from './packets.ts';

/** Reason codes of MQTT 5.0 (section 2.4) for what is not taken. */
export const Reason = {
  Success: 0x00,
  NoSubscription: 0x11,
  ProtocolError: 0x82,
  Implementation: 0x83,
  BadVersion: 0x84,
  BadClientId: 0x85,
  NotAuthorized: 0x87,
  Unavailable: 0x88,
  ShuttingDown: 0x8b,
  BadMethod: 0x8c,
  KeepAlive: 0x8d,
  TakenOver: 0x8e,
  BadFilter: 0x8f,
  BadTopic: 0x90,
  Quota: 0x97,
  BadPayload: 0x99,
  NoShared: 0x9e,
} as const;

const codes: Readonly<Partial<Record<ErrorCode, number>>> = {
  bad_name: Reason.BadTopic,
  not_supported: Reason.BadTopic,
  forbidden: Reason.NotAuthorized,
  too_many_streams: Reason.Quota,
  workspace_full: Reason.Quota,
  internal: Reason.Implementation,
};

/** Why a message was not taken, for its sender. */
export function reasonOf({ code }: PitwallError): number {
  return codes[code] ?? Reason.BadPayload;
}

/** Whether the same write may succeed later. */
export function isLater({ code, status }: PitwallError): boolean {
  return status >= 500 && code !== 'internal';
}

/** Why a connection ends, as it is counted and as MQTT 5 is told. */
export function causeOf(error: unknown): { readonly reason: string; readonly code: number } {
  if (error instanceof BadPacket) return { reason: 'bad_packet', code: error.reasonCode };
  if (error instanceof PitwallError && error.code !== 'internal')
    return { reason: error.code, code: Reason.Quota };
  return { reason: 'internal', code: Reason.Implementation };
}

/** Topics whose refusals have a line of their own in the log, once a minute each. */
const mostTopics = 100;

const pauseMs = 60_000;

/** What is to be told of a topic. */
interface Told {
  at: number;
  times: number;
  reason: string;
}

/** Tells of refused messages, of each topic at most once a minute; those of a topic beyond the most under one name. */
export function topicNotes(
  now: () => number,
  tell: (topic: string, reason: string, times: number) => void,
): (topic: string, reason: string) => void {
  /** The one that was told of longest ago is the first. */
  const notes = new Map<string, Told>();
  const others = '(others)';
  /** Forgets the topic that was told of longest ago, if that is more than a minute ago. */
  const makeRoom = (time: number): boolean => {
    const [oldest] = notes;
    if (oldest === undefined || time - oldest[1].at < pauseMs) return false;
    const [topic, { times, reason }] = oldest;
    notes.delete(topic);
    if (times > 0) tell(topic, reason, times);
    return true;
  };
  return (topic, reason) => {
    const time = now();
    const isKnown = notes.has(topic) || notes.size < mostTopics || makeRoom(time);
    const name = isKnown ? topic : others;
    const note = notes.get(name) ?? { at: Number.NEGATIVE_INFINITY, times: 0, reason };
    note.times++;
    note.reason = reason;
    if (time - note.at >= pauseMs) {
      tell(name, reason, note.times);
      notes.delete(name);
      note.at = time;
      note.times = 0;
    }
    notes.set(name, note);
  };
}
