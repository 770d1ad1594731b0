import { createHash } from 'node:crypto';
import { foldTopic } from '../../domain/topic.ts';
import type { LiveContent } from '../live-package.ts';
import { type Subscription, wildcard } from '../subscription.ts';
import type { Place } from './heartbeat.ts';

/**
 * The subjects of packages: `<prefix>.2.live.<workspace>.<topic>.<stream>.<content>`, one token each, so that any
 * name is legal in a subject and `*` of a subscription is the wildcard of NATS:
 *
 *   a name of A-Z a-z 0-9 _ -     stands as it is
 *   any other, up to 512 bytes    `=` and its UTF-8 in base64url
 *   longer ones                   `~` and its SHA-256 in base64url; the names also stand in the package
 *
 * Topics have no case, so theirs are folded first. The longest subject is below 3 KB; NATS allows lines of 4 KB.
 */
export type ContentToken = 'data' | 'event' | 'pdef' | 'edef' | 'stream' | 'close';

const tokenOfContent: Readonly<Record<LiveContent['type'], ContentToken>> = {
  parameterData: 'data',
  eventData: 'event',
  parameterDefinitions: 'pdef',
  eventDefinitions: 'edef',
  stream: 'stream',
  close: 'close',
};

const longestName = 512;

export function subjectToken(name: string): string {
  const bytes = Buffer.from(name);
  if (bytes.length > longestName) return `~${createHash('sha256').update(bytes).digest('base64url')}`;
  return /^[\w-]+$/.test(name) ? name : `=${bytes.toString('base64url')}`;
}

/** Returns the subject of a package, without the prefix: a pattern without wildcards. */
export function packageSubject(
  workspace: string,
  topic: string,
  streamId: string,
  type: LiveContent['type'],
): string {
  return [subjectToken(workspace), topicToken(topic), subjectToken(streamId), tokenOfContent[type]].join('.');
}

/**
 * Whom a package of this subject concerns, whatever its content says: the topic folded, or `*` where the name does not
 * stand in the subject. Undefined where no node would publish it.
 */
export function placeOf(subject: string): Place | undefined {
  const [workspaceToken, topicName] = subject.split('.').map(nameOfToken);
  return workspaceToken === undefined
    ? undefined
    : { workspace: workspaceToken, topic: topicName ?? wildcard };
}

function nameOfToken(token: string): string | undefined {
  if (token.startsWith('~')) return undefined;
  return token.startsWith('=') ? Buffer.from(token.slice(1), 'base64url').toString() : token;
}

/** What of other nodes' packages a subscription needs, without the prefix; undefined for summaries. */
export function subscriptionPattern(workspace: string, subscription: Subscription): string | undefined {
  const place = `${subjectToken(workspace)}.${patternToken(subscription.topic, topicToken)}`;
  switch (subscription.kind) {
    case 'parameter':
      return `${place}.${patternToken(subscription.streamId)}.data`;
    case 'event':
      return `${place}.${patternToken(subscription.streamId)}.event`;
    case 'parameterDefinitions':
      return `${place}.${patternToken(subscription.streamId)}.pdef`;
    case 'eventDefinitions':
      return `${place}.${patternToken(subscription.streamId)}.edef`;
    case 'packages':
      return `${place}.*.*`;
    case 'activeStreams':
    case 'topicMetrics':
      return undefined;
  }
}

function topicToken(topic: string): string {
  return subjectToken(foldTopic(topic));
}

function patternToken(name: string, token: (name: string) => string = subjectToken): string {
  return name === wildcard ? '*' : token(name);
}
