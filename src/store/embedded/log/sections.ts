import type { Kind } from '../../../domain/parameter-data.ts';
import type { Steps } from '../../../turns/steps.ts';
import { align, type Slab } from './slab.ts';
import { formOfNumbers, readNumbers, writeNumbers } from './stream-numbers.ts';

/**
 * The body of a log record: one section after another, each
 *
 *   0  u32  type
 *   4  u32  length of its body in bytes, without padding
 *   8       body, padded with zeros to a multiple of 8
 *
 * `rows` has a binary body (rows-section.ts); `topic`, `parameter` and `stream` give a number its meaning:
 *
 *   topic      u32 number, JSON [workspace, name]
 *   parameter  u32 number, u32 kind, the name in UTF-8
 *   stream     u32 number, u32 topic, f64 createdAt (ms since the Unix epoch), the id in UTF-8
 *
 * and stand in every record that uses a number which the manifest does not hold yet, so that each record can be
 * understood without any other. Deletes and restores of streams name the streams only, for one that is not there is
 * left alone:
 *
 *   deleteStreams, restoreStreams   u32 flags (1 = for good, 2 = bitmap), u32 first number, the numbers
 *                                   (stream-numbers.ts)
 *
 * All further types have a JSON body. A reader that meets an unknown type refuses the log.
 */
export const SectionType = {
  Topic: 1,
  Parameter: 2,
  Stream: 3,
  Rows: 4,
  /** `{stream, properties?}`: the stream was opened; properties, where given, replace all. */
  Properties: 5,
  /** `{stream, endType}` */
  Close: 6,
  /** A TokenRecord. */
  Token: 7,
  /** `{id}` */
  RevokeToken: 8,
  /** A WorkspaceRecord, `retention` as a string of digits. */
  Workspace: 9,
  /** `{name}` */
  RemoveWorkspace: 10,
  /** `{stream, definitions}`: the stream was opened; the definitions are merged into its own, field by field. */
  ParameterDefinitions: 11,
  EventDefinitions: 12,
  /** The streams are soft-deleted, or removed for good. */
  DeleteStreams: 13,
  RestoreStreams: 14,
  /** A range of rows is hidden from reads: TombstoneJson (tombstone.ts). */
  RowDelete: 15,
  /** `{topic, retention?}`: the settings of a topic, `retention` in ns as a string of digits. */
  TopicSettings: 16,
  /** `{workspace, kind, topic?, id, body}`: makes or replaces a kept document; `body` is a text. */
  Keep: 17,
  /** `{workspace, kind, topic?, id}` */
  Forget: 18,
  /** `{stream}`: what follows in the record does not open the stream. */
  Quiet: 19,
} as const;
export type SectionType = (typeof SectionType)[keyof typeof SectionType];

const sectionHeadBytes = 8;

export interface SectionDraft {
  readonly type: SectionType;
  readonly bytes: number;
  /** The number of a stream that it gives a meaning. */
  readonly makes?: number;
  write(slab: Slab, at: number): void;
  /** The same in steps, where it may be long. */
  steps?(slab: Slab, at: number): Steps<void>;
}

/** What a full disk takes too: what lets go of rows or streams, and of tokens. */
const freeing: ReadonlySet<SectionType> = new Set([
  SectionType.DeleteStreams,
  SectionType.RowDelete,
  SectionType.TopicSettings,
  SectionType.Workspace,
  SectionType.RemoveWorkspace,
  SectionType.RevokeToken,
]);

/** Whether a record of these sections only lets go of what takes space. */
export function freesSpace(drafts: readonly SectionDraft[]): boolean {
  return drafts.every(({ type }) => freeing.has(type));
}

export function sectionsBytes(drafts: readonly SectionDraft[]): number {
  let total = 0;
  for (const { bytes } of drafts) total += sectionHeadBytes + align(bytes, 8);
  return total;
}

export function writeSections(slab: Slab, start: number, drafts: readonly SectionDraft[]): void {
  let at = start;
  for (const draft of drafts) {
    const end = writeSectionHead(slab, at, draft);
    draft.write(slab, at + sectionHeadBytes);
    at = end;
  }
}

/** Gives where the next section begins. */
function writeSectionHead(slab: Slab, at: number, { type, bytes }: SectionDraft): number {
  slab.u32[at >> 2] = type;
  slab.u32[(at >> 2) + 1] = bytes;
  const end = at + sectionHeadBytes + align(bytes, 8);
  if (bytes % 8 !== 0) slab.f64[(end >> 3) - 1] = 0;
  return end;
}

/** Bytes of sections that are written in one step. */
export const stepBytes = 16 * 1024;

/**
 * `writeSections` in steps. What was drafted must stay as it is until the last one.
 *
 * @param least what has fewer bytes is written in one step
 */
export function* sectionsSteps(
  slab: Slab,
  start: number,
  drafts: readonly SectionDraft[],
  least = stepBytes,
): Steps<void> {
  let at = start;
  let rested = start;
  for (const draft of drafts) {
    const end = writeSectionHead(slab, at, draft);
    if (draft.bytes < least || draft.steps === undefined) draft.write(slab, at + sectionHeadBytes);
    else yield* draft.steps(slab, at + sectionHeadBytes);
    at = end;
    if (at - rested < stepBytes) continue;
    rested = at;
    yield;
  }
}

export function jsonSection(type: SectionType, value: unknown): SectionDraft {
  const bytes = Buffer.from(JSON.stringify(value));
  return { type, bytes: bytes.length, write: (slab, at) => slab.bytes.set(bytes, at) };
}

export function topicSection(number: number, workspace: string, name: string): SectionDraft {
  const text = Buffer.from(JSON.stringify([workspace, name]));
  return numbered(SectionType.Topic, [number], text);
}

export function parameterSection(number: number, kind: Kind, name: string): SectionDraft {
  return numbered(SectionType.Parameter, [number, kind], Buffer.from(name));
}

export function streamSection(number: number, topic: number, createdAt: number, id: string): SectionDraft {
  const text = Buffer.from(id);
  return {
    type: SectionType.Stream,
    bytes: 16 + text.length,
    makes: number,
    write(slab, at) {
      slab.u32[at >> 2] = number;
      slab.u32[(at >> 2) + 1] = topic;
      slab.f64[(at >> 3) + 1] = createdAt;
      slab.bytes.set(text, at + 16);
    },
  };
}

const flagForGood = 1;
const flagBitmap = 2;
const streamsHeadBytes = 8;

/** `numbers` are distinct and ascend; `forGood` has a meaning for deletes only. */
export function streamsSection(
  type: StreamsSectionType,
  numbers: Uint32Array,
  forGood: boolean,
): SectionDraft {
  const form = formOfNumbers(numbers);
  return {
    type,
    bytes: streamsHeadBytes + form.bytes,
    write(slab, at) {
      slab.u32[at >> 2] = (forGood ? flagForGood : 0) | (form.isBitmap ? flagBitmap : 0);
      slab.u32[(at >> 2) + 1] = form.first;
      writeNumbers(slab, at + streamsHeadBytes, numbers, form);
    },
  };
}

function numbered(type: SectionType, words: readonly number[], text: Buffer): SectionDraft {
  return {
    type,
    bytes: 4 * words.length + text.length,
    write(slab, at) {
      words.forEach((value, i) => {
        slab.u32[(at >> 2) + i] = value;
      });
      slab.bytes.set(text, at + 4 * words.length);
    },
  };
}

/** What a section says; `rows` names the position of its body in the slab. */
export type Section =
  | {
      readonly type: typeof SectionType.Topic;
      readonly number: number;
      readonly workspace: string;
      readonly name: string;
    }
  | {
      readonly type: typeof SectionType.Parameter;
      readonly number: number;
      readonly kind: Kind;
      readonly name: string;
    }
  | {
      readonly type: typeof SectionType.Stream;
      readonly number: number;
      readonly topic: number;
      readonly createdAt: number;
      readonly id: string;
    }
  | { readonly type: typeof SectionType.Rows; readonly at: number }
  | { readonly type: StreamsSectionType; readonly numbers: Uint32Array; readonly forGood: boolean }
  | { readonly type: JsonSectionType; readonly value: unknown };

export type StreamsSectionType = 13 | 14;

export type JsonSectionType = Exclude<SectionType, 1 | 2 | 3 | 4 | StreamsSectionType>;

/** Reads the sections of a record body of `length` bytes at `start`. */
export function* readSections(slab: Slab, start: number, length: number): Generator<Section> {
  const { u32, bytes } = slab;
  let at = start;
  while (at < start + length) {
    const type = u32[at >> 2] as SectionType;
    const size = u32[(at >> 2) + 1]!;
    const body = at + sectionHeadBytes;
    const word = body >> 2;
    const text = (skip: number) => bytes.toString('utf8', body + skip, body + size);
    switch (type) {
      case SectionType.Topic: {
        const [workspace, name] = JSON.parse(text(4)) as [string, string];
        yield { type, number: u32[word]!, workspace, name };
        break;
      }
      case SectionType.Parameter:
        yield { type, number: u32[word]!, kind: u32[word + 1] as Kind, name: text(8) };
        break;
      case SectionType.Stream:
        yield {
          type,
          number: u32[word]!,
          topic: u32[word + 1]!,
          createdAt: slab.f64[(body >> 3) + 1]!,
          id: text(16),
        };
        break;
      case SectionType.Rows:
        yield { type, at: body };
        break;
      case SectionType.DeleteStreams:
      case SectionType.RestoreStreams: {
        const flags = u32[word]!;
        const form = {
          isBitmap: (flags & flagBitmap) !== 0,
          first: u32[word + 1]!,
          bytes: size - streamsHeadBytes,
        };
        const numbers = readNumbers(slab, body + streamsHeadBytes, form);
        yield { type, numbers, forGood: (flags & flagForGood) !== 0 };
        break;
      }
      default:
        if (type > SectionType.Quiet || type < 1) {
          throw new Error(
            `the log has a section of type ${type}, which this version of Pitwall does not know`,
          );
        }
        yield { type, value: JSON.parse(text(0)) as unknown };
    }
    at = body + align(size, 8);
  }
}
