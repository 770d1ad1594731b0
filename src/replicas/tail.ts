import type { Framed } from './frame.ts';
import type { Applied, KeptMarks } from './kept-marks.ts';
import type { Position } from './position.ts';

/** With whether its records are kept: those of what was applied before the start are not. */
export interface ToldMessage extends Applied {
  readonly isKept: boolean;
}

/** What a node has applied last, with the records of it: what the log may lose, and is to have again. */
export interface Tail {
  /** Without gaps; the position at the start among them. */
  readonly messages: readonly ToldMessage[];
  /** The last message that changed data; the first one where none did. */
  readonly lastWrite: Applied;
  add(message: Applied, records: readonly Framed[]): void;
  /** Undefined where they are not kept any more. */
  recordsOf(sequence: number): readonly Framed[] | undefined;
}

/** Few enough to be told in one message of NATS. */
const mostMessages = 5000;
/** Bytes of records. */
const mostBytes = 16 << 20;

/** @param marks what is known besides the position of the start */
export function createTail({ sequence, mark, at }: Position, marks: KeptMarks): Tail {
  let messages: Applied[] =
    marks.found.length > 0 ? [...marks.found] : [{ sequence, mark, at, isWrite: false }];
  marks.replace(messages);
  let lastWrite = messages.findLast(({ isWrite }) => isWrite) ?? messages.at(-1)!;
  const kept = new Map<number, readonly Framed[]>();
  let bytes = 0;
  const sizeOf = (records: readonly Framed[]): number =>
    records.reduce((sum, { record }) => sum + record.length, 0);
  return {
    get messages() {
      return messages
        .slice(-mostMessages)
        .map((message) => ({ ...message, isKept: kept.has(message.sequence) }));
    },
    get lastWrite() {
      return lastWrite;
    },
    add(message, records) {
      // A start reads again what it has applied where a group was not whole.
      if (message.sequence <= messages.at(-1)!.sequence) return;
      messages.push(message);
      marks.add(message);
      if (messages.length > 2 * mostMessages) {
        messages = messages.slice(-mostMessages);
        marks.replace(messages);
      }
      if (!message.isWrite) return;
      lastWrite = message;
      kept.set(message.sequence, records);
      bytes += sizeOf(records);
      for (const [sequence, older] of kept) {
        if (bytes <= mostBytes && sequence >= messages[0]!.sequence) break;
        bytes -= sizeOf(older);
        kept.delete(sequence);
      }
    },
    recordsOf: (sequence) => kept.get(sequence),
  };
}

/** A node that takes part in a repair of the log. */
export interface NodeTail {
  readonly node: string;
  readonly run: string;
  /** Whether it has read the log since its start. */
  readonly hasRead: boolean;
  readonly messages: readonly ToldMessage[];
}

/** On whose data the log goes on, and what others have applied besides, in the order of its time. */
export interface Choice<Of extends NodeTail = NodeTail> {
  readonly base: Of;
  readonly missing: readonly { readonly of: Of; readonly message: ToldMessage }[];
}

/**
 * Every write that any of the nodes has applied is in the data of the base, or among what is missing there. The base is the node for which that is
 * latest, so that it is applied behind what was before it. Undefined where nobody can tell what one has and another has not, or give that.
 */
export function chooseBase<Of extends NodeTail>(tails: readonly Of[]): Choice<Of> | undefined {
  const lastOf = ({ messages }: NodeTail): number => messages.at(-1)!.sequence;
  // Of two that have the same, the one stays that knows more of it.
  let left = [...tails].sort(
    (a, b) => lastOf(b) - lastOf(a) || b.messages.length - a.messages.length || (a.node < b.node ? -1 : 1),
  );
  // Who has nothing of its own needs no comparison with a third.
  for (const one of [...left].reverse())
    if (left.some((other) => other !== one && missingIn(other, one)?.length === 0))
      left = left.filter((other) => other !== one);
  let best: (Choice<Of> & { readonly since: number }) | undefined;
  for (const base of left) {
    const ofOthers = left.map((of) => missingIn(base, of)?.map((message) => ({ of, message })));
    if (ofOthers.includes(undefined)) continue;
    const all = ofOthers.flatMap((some) => some!).sort((a, b) => a.message.at - b.message.at);
    const missing = all.filter(
      ({ message }, i) => all.findIndex((one) => isSame(one.message, message)) === i,
    );
    if (missing.some(({ message }) => !message.isKept)) continue;
    const since = missing[0]?.message.at ?? Number.POSITIVE_INFINITY;
    if (best === undefined || since > best.since) best = { base, missing, since };
  }
  return best;
}

/** Whether a node has a message in its place, as far back as it knows. */
export function hasApplied(
  { messages }: NodeTail,
  { sequence, mark }: Pick<Applied, 'sequence' | 'mark'>,
): boolean {
  const first = messages[0]!.sequence;
  return sequence < first || messages[sequence - first]?.mark === mark;
}

const isSame = (a: Applied, b: Applied): boolean => a.mark === b.mark;

/** The writes of a node that another has not applied; undefined where the two have no message in common by which to tell. */
function missingIn(a: NodeTail, b: NodeTail): ToldMessage[] | undefined {
  const [base, other] = [a.messages, b.messages];
  const [first, start] = [base[0]!, other[0]!];
  let place = Math.max(first.sequence, start.sequence);
  const inBase = (): Applied | undefined => base[place - first.sequence];
  const inOther = (): Applied | undefined => other[place - start.sequence];
  // As a power cut of all machines leaves them, one has more of the same log.
  if (!a.hasRead && !b.hasRead && base.length === 1 && other.at(-1)!.sequence < first.sequence) return [];
  if (inBase() === undefined || inBase()?.mark !== inOther()?.mark) return undefined;
  while (inBase() !== undefined && inBase()?.mark === inOther()?.mark) place++;
  const had = new Set(base.slice(place - first.sequence).map(({ mark, isWrite }) => isWrite && mark));
  return other.slice(place - start.sequence).filter(({ mark, isWrite }) => isWrite && !had.has(mark));
}
