import { type Subscription, wildcard } from '../live/subscription.ts';

/**
 * Topics of what is read: `{topic}/{stream}/{parameter}`. The topic may have slashes, and so has as many levels; a
 * slash in a stream or a parameter, and what no topic of MQTT may have, stand there as in an address: `%2F`, `%2B`
 * for +, `%23` for #, and `%25` for a % where it would be taken for the beginning of one of these.
 */
export function liveTopic(topic: string, streamId: string, parameter: string): string {
  return `${levelsOf(topic)}/${levelOf(streamId)}/${levelOf(parameter)}`;
}

function levelsOf(topic: string): string {
  return topic.replaceAll(/[+#]|%(?=2[BF35])/gi, escaped);
}

function levelOf(name: string): string {
  return /[+#/%]/.test(name) ? name.replaceAll(/[+#/]|%(?=2[BF35])/gi, escaped) : name;
}

function escaped(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}

function nameOf(level: string): string {
  return level.replaceAll(/%2[BF35]/gi, (found) => String.fromCharCode(Number.parseInt(found.slice(1), 16)));
}

/** The names that a filter asks for; undefined stands for all. */
export interface LiveNames {
  readonly topic: string | undefined;
  readonly streamId: string | undefined;
  readonly parameter: string | undefined;
}

/**
 * Undefined where no topic of ours can match: with too few levels. What it asks for may be more than what the filter
 * matches.
 */
export function namesOfFilter(filter: string): LiveNames | undefined {
  const levels = filter.split('/');
  if (levels.at(-1) === '#') {
    // The rest may be of the topic, or the last two levels.
    return { topic: undefined, streamId: undefined, parameter: undefined };
  }
  if (levels.length < 3) return undefined;
  const [streamId, parameter] = levels.slice(-2) as [string, string];
  const topic = levels.slice(0, -2);
  const one = (level: string): string | undefined => (level === '+' ? undefined : nameOf(level));
  return {
    topic: topic.includes('+') ? undefined : topic.map(nameOf).join('/'),
    streamId: one(streamId),
    parameter: one(parameter),
  };
}

/** Subscriptions of the hub that bring at least what a filter matches. */
export function subscriptionsOf(filter: string): Subscription[] {
  const names = namesOfFilter(filter);
  if (names === undefined) return [];
  const { topic, streamId, parameter } = names;
  return [
    {
      kind: 'parameter',
      topic: topic ?? wildcard,
      streamId: streamId ?? wildcard,
      id: parameter ?? wildcard,
    },
  ];
}

/**
 * What a filter asks for of one topic; undefined where it matches nothing there. A topic with slashes has as many
 * levels.
 *
 * @param topic as it is spelt
 */
export function namesInTopic(filter: string, topic: string): Omit<LiveNames, 'topic'> | undefined {
  const levels = filter.split('/');
  const own = levelsOf(topic).split('/');
  for (const [i, level] of own.entries()) {
    if (levels[i] === '#') return { streamId: undefined, parameter: undefined };
    if (levels[i] !== '+' && levels[i] !== level) return undefined;
  }
  const [stream, parameter, ...rest] = levels.slice(own.length);
  if (stream === '#') return { streamId: undefined, parameter: undefined };
  if (stream === undefined || parameter === undefined || (rest.length > 0 && rest[0] !== '#'))
    return undefined;
  const one = (level: string): string | undefined => (/^[+#]$/.test(level) ? undefined : nameOf(level));
  return { streamId: one(stream), parameter: one(parameter) };
}
