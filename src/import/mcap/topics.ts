import { MessageFault } from '../../protobuf/wire-reader.ts';
import { type ChannelNames, channelNames, namesText, plainName } from '../channel-names.ts';
import { FileFault } from '../file-bytes.ts';
import { type LoggedChannel, latestStart } from '../logged-file.ts';
import { plainText } from '../text/text-layout.ts';
import type { MessageTime } from './message-time.ts';
import { type MessageDecoder, Place, type PlaceRoom, type ValueVisitor } from './place.ts';
import { watchStamps } from './stamps.ts';

/** Bytes behind a message that may be a gap. */
const mostGap = 3;

/** A message of a file, with the times that the writer gave it, ns since the Unix epoch. */
export interface Message {
  readonly log: bigint;
  readonly publish: bigint;
  readonly bytes: Uint8Array;
  /** The offset of its record, or of the chunk around it. */
  readonly offset: number;
}

/** A channel with numbers and one with texts may have one name: the values of a field may be of both kinds. */
export interface FileNames {
  readonly numbers: ChannelNames;
  readonly texts: ChannelNames;
}

export function fileNames(): FileNames {
  const faultOf = (what: string) => new MessageFault(what);
  return { numbers: channelNames(faultOf), texts: channelNames(faultOf) };
}

/** A name that stands for numbers and for texts is told once. */
export function namesNotes({ numbers, texts }: FileNames): string[] {
  return [...new Set([...numbers.notes(), ...texts.notes()])];
}

export function messagesText(messages: number): string {
  return messages === 1 ? '1 message' : `${messages} messages`;
}

/** The messages of one topic, whose fields are learnt from message to message. */
export class Topic {
  readonly name: string;
  readonly channels: LoggedChannel[] = [];
  /** Why values of it are not read, or not as they stand: for people. */
  readonly leftOut: string[] = [];
  readonly notes: string[] = [];
  rows = 0;
  /** Messages that are left out, as somebody asked for. */
  skipped = 0;
  /** Of the first message, ns; undefined before there is one. */
  start: bigint | undefined = undefined;
  /** Whether each message is later than the one before. */
  isForward = true;
  /** What is wrong with one of its messages; undefined where nothing is. */
  fault: FileFault | undefined = undefined;
  /** Whether its rows stand at the stamps of its messages; until the first one it is as asked for. */
  hasStamps: boolean;
  readonly #time: MessageTime;
  readonly #root: Place;
  readonly #stamp: (() => bigint | undefined) | undefined;
  readonly #learner = new Learner();
  readonly #reader = new Reader();
  #longer = 0;
  /** Channels whose names are others in the file. */
  readonly #plain: string[] = [];
  /** The first stamp that says nothing of a zone. */
  #local: string | undefined = undefined;
  /** Of the message before, ns. */
  #last: bigint | undefined = undefined;

  constructor(name: string, room: PlaceRoom, time: MessageTime) {
    this.name = name;
    this.#time = time;
    this.#root = new Place(room);
    this.#stamp = time === 'stamp' ? watchStamps(this.#root, (text) => (this.#local ??= text)) : undefined;
    this.hasStamps = time === 'stamp';
  }

  /** Takes up the fields of a message; notes its fault. */
  learn(decode: MessageDecoder, message: Message): void {
    if (this.fault !== undefined) return;
    this.rows++;
    this.#learner.message = this.rows;
    this.fault = this.#faultOf(message, this.rows, () => {
      if (decode(message.bytes, this.#root, this.#learner) > mostGap) this.#longer++;
      const time = this.#timeOf(message, this.rows === 1);
      if (this.start === undefined || time < this.start) this.start = time;
      if (this.#last !== undefined && time <= this.#last) this.isForward = false;
      this.#last = time;
    });
  }

  /** The row of a message. Throws a FileFault. */
  read(decode: MessageDecoder, message: Message): { time: bigint; values: (number | string | null)[] } {
    this.#reader.values = new Array(this.channels.length).fill(null);
    let time = message.log;
    const fault = this.#faultOf(message, undefined, () => {
      decode(message.bytes, this.#root, this.#reader);
      time = this.#timeOf(message, false);
    });
    if (fault !== undefined) throw fault;
    return { time, values: this.#reader.values };
  }

  /** Makes channels of the fields, when all messages were seen; notes a fault where one has no name. */
  finish(names: FileNames): void {
    if (this.fault !== undefined) return;
    try {
      this.#finish(names);
    } catch (error) {
      if (!(error instanceof MessageFault)) throw error;
      this.fault = new FileFault(`messages of ${this.name} cannot be read: ${error.message}`, undefined);
    }
  }

  #finish(names: FileNames): void {
    const of = (place: Place) => `${this.name}.${place.path()}`.replace(/\.(?=\[|$)/, '');
    for (const { place, isText } of this.#learner.found) {
      // Numbers that became text share the channel of its other texts.
      const isShared = place.isWide && place.textAt >= 0;
      const at = isShared ? place.textAt : this.channels.length;
      if (isText || place.isWide) place.textAt = at;
      if (!isText) place.numberAt = at;
      if (!isShared) this.channels.push(this.#channelOf(place, isText || place.isWide, names));
    }
    this.notes.push(
      ...namesText('names without their control characters and the spaces round them', this.#plain),
    );
    for (const { place, message, digits } of this.#learner.wide) {
      this.notes.push(
        `${of(place)} is text, for a number would not keep the digits of ${digits} in message ${message}`,
      );
    }
    for (const place of this.#learner.damaged)
      this.notes.push(`texts of ${of(place)} have bytes that are no UTF-8, which are replaced`);
    for (const [place, { count, message, digits }] of this.#learner.vanishing) {
      if (place.isWide) continue;
      this.notes.push(
        `numbers nearer to 0 than a number can be, made 0, in ${of(place)}: ${count} (message ${message}: ${digits})`,
      );
    }
    if (this.#local !== undefined)
      this.notes.push(
        `stamps of ${this.name} without a zone, taken for UTC, the first '${plainText(this.#local)}'`,
      );
    if (this.#longer > 0) {
      this.notes.push(
        `${this.#longer} of ${this.rows} messages of ${this.name} go on behind what their schema says, and that is not read`,
      );
    }
    for (const place of this.#learner.leftOut) {
      const some = place.leftOut < this.rows ? `, in ${place.leftOut} of ${this.rows} messages` : '';
      this.leftOut.push(`${of(place)} (${place.why}${some})`);
    }
    if (this.channels.length === 0 && this.leftOut.length === 0 && this.rows > 0)
      this.leftOut.push(`${this.name} (without values, ${messagesText(this.rows)})`);
  }

  #channelOf(place: Place, isText: boolean, names: FileNames): LoggedChannel {
    const name = this.#nameOf(place, isText, names);
    if (place.isRenamed() || plainName(this.name) !== this.name) this.#plain.push(name);
    return {
      name,
      unit: '',
      isText,
      ...(Object.keys(place.valueNames ?? {}).length > 0 && !isText && { valueNames: place.valueNames! }),
    };
  }

  #nameOf(place: Place, isText: boolean, names: FileNames): string {
    const shown = place.path();
    const topic = plainName(this.name);
    const dot = shown === '' || shown.startsWith('[') || topic === '' ? '' : '.';
    const full = `${topic}${dot}${shown}` || 'Channel';
    return (isText ? names.texts : names.numbers).nameFor(full, 0);
  }

  #timeOf({ log, publish }: Message, isFirst: boolean): bigint {
    const stamp = this.#stamp?.();
    if (isFirst) this.hasStamps = stamp !== undefined;
    else if (this.hasStamps && stamp === undefined) throw new MessageFault('it has no stamp, as others have');
    else if (stamp !== undefined && !this.hasStamps)
      throw new MessageFault('it has a stamp, and those before it have none');
    const time = stamp ?? (this.#time === 'publish' ? publish : log);
    if (time === 0n && this.#time === 'publish')
      throw new MessageFault('its publish time is 0, which stands for none');
    if (time > latestStart || time < -latestStart)
      throw new MessageFault(`its time, ${time} ns, is too far away to be kept`);
    return time;
  }

  #faultOf({ offset }: Message, number: number | undefined, read: () => void): FileFault | undefined {
    try {
      read();
      return undefined;
    } catch (error) {
      if (!(error instanceof MessageFault)) throw error;
      const which = number === undefined ? 'a message' : `message ${number}`;
      return new FileFault(`${which} of ${this.name} cannot be read: ${error.message}`, offset);
    }
  }
}

/** Learns which values messages have. */
class Learner implements ValueVisitor {
  /** Number of the message at hand, from 1. */
  message = 0;
  readonly found: { readonly place: Place; readonly isText: boolean }[] = [];
  readonly wide: { readonly place: Place; readonly message: number; readonly digits: string }[] = [];
  readonly leftOut: Place[] = [];
  readonly damaged = new Set<Place>();
  /** Numbers nearer to 0 than any double. */
  readonly vanishing = new Map<Place, { count: number; readonly message: number; readonly digits: string }>();

  number(place: Place, value: number): void {
    if (place.isWatched) place.seen = value;
    if (place.hasNumber) return;
    place.hasNumber = true;
    this.found.push({ place, isText: false });
  }

  digits(place: Place, digits: string): void {
    if (!place.isWide) {
      place.isWide = true;
      this.wide.push({ place, message: this.message, digits: digits.slice(0, 40) });
    }
    this.number(place, Number.NaN);
  }

  text(place: Place, text: string): void {
    if (place.isWatched) place.seen = text;
    if (place.hasText) return;
    place.hasText = true;
    this.found.push({ place, isText: true });
  }

  skipped(place: Place, why: string): void {
    place.leftOut++;
    if (place.leftOut > 1) return;
    place.why = why;
    this.leftOut.push(place);
  }

  replaced(place: Place): void {
    this.damaged.add(place);
  }

  vanished(place: Place, digits: string): void {
    const found = this.vanishing.get(place);
    if (found === undefined)
      this.vanishing.set(place, { count: 1, message: this.message, digits: digits.slice(0, 40) });
    else found.count++;
  }
}

/** Puts the values of a message where the channels of its topic have them. */
class Reader implements ValueVisitor {
  values: (number | string | null)[] = [];

  number(place: Place, value: number): void {
    if (place.isWatched) place.seen = value;
    if (place.numberAt >= 0) this.values[place.numberAt] = place.isWide ? String(value) : value;
  }

  digits(place: Place, text: string): void {
    if (place.isWatched) place.seen = Number(text);
    if (place.textAt >= 0) this.values[place.textAt] = text;
  }

  text(place: Place, text: string): void {
    if (place.isWatched) place.seen = text;
    if (place.textAt >= 0) this.values[place.textAt] = text;
  }

  skipped(): void {}

  replaced(): void {}

  vanished(): void {}
}
