import type { ErrorCode, PitwallError } from '../errors.ts';
import { limitTexts } from '../limit-notes.ts';

/** Reason codes of MQTT 5.0 (section 2.4) for what is not taken. */
export const Reason = {
  Success: 0x00,
  NoSubscription: 0x11,
  Unspecified: 0x80,
  Malformed: 0x81,
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
  TooLarge: 0x95,
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

/** Topics whose refusals have a line of their own in the log, once a minute each. */
const mostTopics = 100;

/** Tells of refused messages, of each topic at most once a minute. */
export function topicNotes(
  now: () => number,
  tell: (topic: string, reason: string, times: number) => void,
): (topic: string, reason: string) => void {
  const notes = new Map<string, (reason: string) => void>();
  const noteOf = (topic: string) => limitTexts(now, (times, reason) => tell(topic, reason, times));
  const others = noteOf('(others)');
  return (topic, reason) => {
    let note = notes.get(topic);
    if (note === undefined && notes.size < mostTopics) {
      note = noteOf(topic);
      notes.set(topic, note);
    }
    (note ?? others)(reason);
  };
}
