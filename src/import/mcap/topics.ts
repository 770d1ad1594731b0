import { type ChannelNames, plainName } from '../channel-names.ts';
import { FileFault } from '../file-bytes.ts';
import type { LoggedChannel } from '../logged-file.ts';
import { shownPath, type ValueVisitor } from './flatten.ts';

/** Fields that a file may have in all, over all topics. */
const mostFields = 20_000;
const longestName = 512;

/** The messages of one topic, whose fields are learnt from message to message. */
export interface Topic {
  readonly name: string;
  readonly channels: LoggedChannel[];
  rows: number;
  /** Of the first message, ns; undefined before there is one. */
  start: bigint | undefined;
  /** Why its messages are not read; undefined where they are. */
  fault: FileFault | undefined;
  /** Takes up the fields of a message. Throws a FileFault where there are too many. */
  learner(leftOut: (path: string) => void, offset: number): ValueVisitor;
  /** The values of the next message, aligned with the channels: those that it visits. */
  reader(): { readonly values: readonly (number | string | null)[]; readonly visitor: ValueVisitor };
}

/** What the topics of one file share. */
export interface FileFields {
  count: number;
  /** A channel with numbers and one with texts may have one name: the values of a field may be of both kinds. */
  readonly numberNames: ChannelNames;
  readonly textNames: ChannelNames;
}

export function createTopic(name: string, fields: FileFields): Topic {
  const channels: LoggedChannel[] = [];
  const numbers = new Map<string, number>();
  const texts = new Map<string, number>();

  const learn = (places: Map<string, number>, path: string, isText: boolean, offset: number): void => {
    if (places.has(path)) return;
    fields.count++;
    if (fields.count > mostFields)
      throw new FileFault(`the messages have more than ${mostFields} fields`, offset);
    const shown = shownPath(path);
    const dot = shown === '' || shown.startsWith('[') || plainName(name) === '' ? '' : '.';
    const full = `${plainName(name)}${dot}${shown}` || 'Channel';
    if (new TextEncoder().encode(full).length > longestName) {
      throw new FileFault(
        `the name of a field of ${name.slice(0, 80)} has more than ${longestName} bytes`,
        offset,
      );
    }
    places.set(path, channels.length);
    const names = isText ? fields.textNames : fields.numberNames;
    channels.push({ name: names.nameFor(full, offset), unit: '', isText });
  };

  return {
    name,
    channels,
    rows: 0,
    start: undefined,
    fault: undefined,
    learner: (leftOut, offset) => ({
      number: (path) => learn(numbers, path, false, offset),
      text: (path) => learn(texts, path, true, offset),
      leftOut: (path) => leftOut(shownPath(path)),
    }),
    reader() {
      const values: (number | string | null)[] = channels.map(() => null);
      const set = (places: Map<string, number>, path: string, value: number | string): void => {
        const at = places.get(path);
        if (at !== undefined) values[at] = value;
      };
      return {
        values,
        visitor: {
          number: (path, value) => set(numbers, path, value),
          text: (path, value) => set(texts, path, value),
          leftOut: () => undefined,
        },
      };
    },
  };
}
