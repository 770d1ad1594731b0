import type { TopicActivity } from './activity.ts';

/**
 * Names of active streams go over NATS once, each with a number; from then on the numbers go, as ranges: the same
 * 100,000 streams that are written every second are one range a second, and not 100,000 names. Others know what a number
 * means as long as they have heard every beat; who has missed one asks, and is told all anew (`isAnew`).
 */
export interface PackedTopic {
  readonly workspace: string;
  readonly topic: string;
  readonly bytes: number;
  /** Streams that have the numbers from `first` on. */
  readonly first: number;
  readonly names: readonly string[];
  /** Numbers as ranges, two for each: how far above the end of the one before it begins, and how many they are. */
  readonly touched: readonly number[];
  readonly ended: readonly number[];
}

export interface PackedTopics {
  /** What was told before means nothing any more. */
  readonly isAnew: boolean;
  readonly topics: readonly PackedTopic[];
}

/** Numbers what this node tells. */
export interface Namer {
  /** @param all everything that is active is in `topics`: numbers begin anew */
  pack(topics: readonly TopicActivity[], all: boolean): PackedTopics;
}

/** Characters of names in one entry; one message has a few of them. */
const maxCharacters = 50_000;

export function createNamer(): Namer {
  /** By workspace and topic, then by stream. */
  const numbers = new Map<string, Map<string, number>>();
  let next = 0;

  return {
    pack(topics, all) {
      if (all) {
        numbers.clear();
        next = 0;
      }
      const packed: PackedTopic[] = [];
      for (const { workspace, topic, bytes, touched, ended } of topics) {
        const place = JSON.stringify([workspace, topic]);
        const own = numbers.get(place) ?? new Map<string, number>();
        numbers.set(place, own);
        let entry = { names: [] as string[], touched: [] as number[], ended: [] as number[], first: next };
        let characters = 0;
        let untold = bytes;
        const finish = (): void => {
          const { names, first } = entry;
          packed.push({
            workspace,
            topic,
            bytes: untold,
            first,
            names,
            touched: rangesOf(entry.touched),
            ended: rangesOf(entry.ended),
          });
          untold = 0;
          characters = 0;
          entry = { names: [], touched: [], ended: [], first: next };
        };
        const numberOf = (id: string): number => {
          const known = own.get(id);
          if (known !== undefined) return known;
          own.set(id, next);
          entry.names.push(id);
          characters += id.length + 3;
          return next++;
        };
        for (const id of ended) {
          entry.ended.push(numberOf(id));
          if (characters > maxCharacters) finish();
        }
        for (const id of touched) {
          entry.touched.push(numberOf(id));
          if (characters > maxCharacters) finish();
        }
        finish();
      }
      return { isAnew: all, topics: packed };
    },
  };
}

/** Knows what the numbers of other nodes mean. */
export interface Names {
  /** What is told without a known name is left out: whoever has missed a beat has asked for all. */
  unpack(sender: string, packed: PackedTopics): TopicActivity[];
  forget(sender: string): void;
}

export function createNames(): Names {
  const senders = new Map<string, Map<number, string>>();

  return {
    unpack(sender, { isAnew, topics }) {
      let names = senders.get(sender);
      if (names === undefined || isAnew) {
        names = new Map();
        senders.set(sender, names);
      }
      const known = names;
      const idsOf = (ranges: readonly number[]): string[] => [...namesIn(ranges, known)];
      return topics.map(({ workspace, topic, bytes, first, names: told, touched, ended }) => {
        told.forEach((id, i) => void known.set(first + i, id));
        return { workspace, topic, bytes, touched: idsOf(touched), ended: idsOf(ended) };
      });
    },
    forget: (sender) => void senders.delete(sender),
  };
}

function rangesOf(numbers: readonly number[]): number[] {
  const ranges: number[] = [];
  let end = 0;
  for (const number of [...numbers].sort((a, b) => a - b)) {
    if (ranges.length > 0 && number === end) ranges[ranges.length - 1]!++;
    else ranges.push(number - end, 1);
    end = number + 1;
  }
  return ranges;
}

/** What has these numbers; a length that a message claims is not believed. */
function* namesIn(ranges: readonly number[], known: ReadonlyMap<number, string>): Generator<string> {
  let end = 0;
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    const begin = end + ranges[i]!;
    end = begin + ranges[i + 1]!;
    if (end - begin > known.size) {
      for (const [number, id] of known) if (number >= begin && number < end) yield id;
      continue;
    }
    for (let number = begin; number < end; number++) {
      const id = known.get(number);
      if (id !== undefined) yield id;
    }
  }
}
