import type { TopicActivity } from './nats-activity.ts';

/**
 * What every node tells all others once a second, and at once where it says `hello` or `bye`: JSON,
 *
 *   {"version": 1, "sender": "<id, as in packages, in hex>", "node": "<name>", "word": "hello" | "beat" | "bye",
 *    "passed": n, "lost": n, "topics": [[workspace, topic, bytes, [stream touched], [stream ended]]]}
 *
 * `passed` counts the packages that the sender has sent or lost, `lost` those lost: so others know when there is something
 * that did not reach them.
 * More than fits one message goes in several. A `hello` asks the others to tell all of their active streams.
 */
export interface Beat {
  readonly sender: string;
  readonly node: string;
  readonly word: 'hello' | 'beat' | 'bye';
  readonly passed: number;
  readonly lost: number;
  readonly topics: readonly TopicActivity[];
}

const version = 1;
/** Characters of names in one message; far below what NATS takes, whatever the characters. */
const maxCharacters = 100_000;

export function encodeBeats(beat: Beat): Uint8Array[] {
  const { topics, ...head } = beat;
  return parted(topics).map((part) =>
    Buffer.from(
      JSON.stringify({
        version,
        ...head,
        topics: part.map(({ workspace, topic, bytes, touched, ended }) => [
          workspace,
          topic,
          bytes,
          touched,
          ended,
        ]),
      }),
    ),
  );
}

/** Throws where it is no beat of this version. */
export function decodeBeat(message: Uint8Array): Beat {
  const read = JSON.parse(Buffer.from(message).toString()) as Omit<Beat, 'topics'> & {
    readonly version: number;
    readonly topics: [string, string, number, string[], string[]][];
  };
  if (read.version !== version) throw new RangeError(`a beat of version ${read.version}, not ${version}`);
  const { sender, node, word, passed, lost } = read;
  const topics = read.topics.map(([workspace, topic, bytes, touched, ended]) => ({
    workspace,
    topic,
    bytes,
    touched,
    ended,
  }));
  return { sender, node, word, passed, lost, topics };
}

/** Topics in lists of bounded size; at least one list. A topic with many streams is in several, its bytes in the first. */
function parted(topics: readonly TopicActivity[]): TopicActivity[][] {
  const parts: TopicActivity[][] = [[]];
  let room = maxCharacters;
  const begin = (): void => {
    parts.push([]);
    room = maxCharacters;
  };
  for (const { workspace, topic, bytes, touched, ended } of topics) {
    const place = { workspace, topic };
    const streams = [
      ...ended.map((id) => ({ id, isEnd: true })),
      ...touched.map((id) => ({ id, isEnd: false })),
    ];
    let current = { ...place, bytes, touched: [] as string[], ended: [] as string[] };
    for (const { id, isEnd } of streams) {
      if (room <= 0) {
        parts.at(-1)!.push(current);
        current = { ...place, bytes: 0, touched: [], ended: [] };
        begin();
      }
      (isEnd ? current.ended : current.touched).push(id);
      room -= id.length + 3;
    }
    parts.at(-1)!.push(current);
    room -= workspace.length + topic.length + 20;
    if (room <= 0) begin();
  }
  return parts;
}
