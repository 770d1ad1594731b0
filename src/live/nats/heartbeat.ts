import type { PackedTopic } from './names.ts';

/** A topic whose readers may have missed something. */
export interface Place {
  readonly workspace: string;
  readonly topic: string;
}

/**
 * What every node tells all others once a second, and at once where it says `hello` or `bye`: JSON,
 *
 *   {"version": 2, "sender": "<id, as in packages, in hex>", "node": "<name>", "word": "hello" | "beat" | "bye",
 *    "number": n, "passed": n, "lost": n, "lostIn": [[workspace, topic]], "asks": ["<sender>"], "isAnew": true,
 *    "topics": [[workspace, topic, bytes, first, [name], [range of touched], [range of ended]]]}
 *
 * `number` rises by 1 with each message, so that one that is missed shows. `passed` counts the packages that the sender has
 * sent or lost, `lost` those lost of which the topic is not known: so others know when there is something that did not
 * reach them. `lostIn` are the topics of others, that were lost since the beat before.
 * More than fits one message goes in several. A `hello` asks all others to tell all of their active streams anew, `asks`
 * those whose beats were missed (`names.ts`).
 */
export interface Heartbeat {
  readonly sender: string;
  readonly node: string;
  readonly word: 'hello' | 'beat' | 'bye';
  readonly number: number;
  readonly passed: number;
  readonly lost: number;
  readonly lostIn: readonly Place[];
  readonly asks: readonly string[];
  readonly isAnew: boolean;
  readonly topics: readonly PackedTopic[];
}

const version = 2;
/** Characters of names in one message; far below what NATS takes, whatever the characters. */
const maxCharacters = 100_000;

/** The first message has the number that is given, and each that follows one more. */
export function encodeHeartbeats(beat: Heartbeat): Uint8Array[] {
  const { topics, number, lostIn, asks, isAnew, ...head } = beat;
  return parted(topics).map((part, i) =>
    Buffer.from(
      JSON.stringify({
        version,
        ...head,
        number: number + i,
        lostIn: i > 0 ? [] : lostIn.map(({ workspace, topic }) => [workspace, topic]),
        asks: i > 0 ? [] : asks,
        isAnew: i === 0 && isAnew,
        topics: part.map(({ workspace, topic, bytes, first, names, touched, ended }) => [
          workspace,
          topic,
          bytes,
          first,
          names,
          touched,
          ended,
        ]),
      }),
    ),
  );
}

type TopicFields = [string, string, number, number, string[], number[], number[]];

/** Throws a RangeError where it is of another version. */
export function decodeHeartbeat(message: Uint8Array): Heartbeat {
  const read = JSON.parse(Buffer.from(message).toString()) as Omit<Heartbeat, 'topics' | 'lostIn'> & {
    readonly version: number;
    readonly lostIn: [string, string][];
    readonly topics: TopicFields[];
  };
  if (read.version !== version)
    throw new RangeError(`a heartbeat of version ${read.version}, not ${version}`);
  const { sender, node, word, number, passed, lost, asks, isAnew } = read;
  const topics = read.topics.map(([workspace, topic, bytes, first, names, touched, ended]) => ({
    workspace,
    topic,
    bytes,
    first,
    names,
    touched,
    ended,
  }));
  const lostIn = read.lostIn.map(([workspace, topic]) => ({ workspace, topic }));
  return { sender, node, word, number, passed, lost, lostIn, asks, isAnew, topics };
}

/** Topics in lists of bounded size; at least one list. */
function parted(topics: readonly PackedTopic[]): PackedTopic[][] {
  const parts: PackedTopic[][] = [[]];
  let room = maxCharacters;
  for (const topic of topics) {
    if (room <= 0) {
      parts.push([]);
      room = maxCharacters;
    }
    parts.at(-1)!.push(topic);
    const names = topic.names.reduce((sum, name) => sum + name.length + 3, 0);
    const numbers = (topic.touched.length + topic.ended.length) * 4;
    room -= topic.workspace.length + topic.topic.length + 30 + names + numbers;
  }
  return parts;
}
