import { type Signal, signal } from '@preact/signals';
import type { StreamInfo } from '../../../src/client/client.ts';
import type { SameTimeChoices } from '../../../src/import/same-time/stored-rows.ts';
import { type Chosen, streamNameOf } from './chosen.ts';
import type { Opened } from './opened.ts';
import type { StartAnswer } from './start.ts';

/** Where the import of a file stands. Shares are of the file, 0 to 1. */
export type Step =
  | { readonly at: 'waiting' | 'ready' }
  | { readonly at: 'reading' | 'checking' | 'writing'; readonly share: number }
  /** Its rows have faults; nothing is written of it. */
  | { readonly at: 'faulty' }
  | { readonly at: 'done'; readonly done: Done }
  | { readonly at: 'failed'; readonly message: string };

/** What an import came to. */
export interface Done {
  readonly rows: number;
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  /** What was guessed, left out or replaced. */
  readonly notes: readonly string[];
  readonly warning: string;
}

/** Where rows go. */
export interface Target {
  readonly topic: string;
  readonly streamId: string;
  /** Whether somebody named the stream; else it is a free name. */
  readonly isNamed: boolean;
  /** Whether rows may go into a stream that is there already. */
  readonly isAdded: boolean;
}

/** A stream that the service has; undefined where it has none of the name. */
export interface There {
  readonly topic: string;
  readonly streamId: string;
  readonly info: StreamInfo | undefined;
}

/** A file of the queue. */
export interface Item {
  /** No other has it: two files may have one name. */
  readonly id: number;
  readonly chosen: Chosen;
  readonly step: Signal<Step>;
  /** What is known of the file; undefined until it is read. */
  readonly opened: Signal<Opened | undefined>;
  readonly target: Signal<Target>;
  /** Why the topic is proposed. */
  readonly topicReason: Signal<string>;
  /** What the service has under the name that was looked up last. */
  readonly there: Signal<There | undefined>;
  /** How it was said when the recording began; undefined where nobody said it. */
  readonly startAnswer: Signal<StartAnswer | undefined>;
  /** What was chosen for rows that meet earlier ones, and for times that begin anew. */
  readonly choices: Signal<SameTimeChoices>;
  /** The streams that came into being with it: what can be taken back. */
  readonly made: Signal<readonly Made[]>;
  /** Ends what is being read of it. */
  readonly ending: AbortController;
  /** The reading of the file with other settings, one after the other. */
  rereading: Promise<void>;
}

export interface Place {
  readonly topic: string;
  readonly streamId: string;
}

/** A stream that came into being with a file, and what of it is the file's. */
export interface Made extends Place {
  /** The first and the last row that were written, ns. */
  readonly from: bigint;
  readonly to: bigint;
  /** How many values were written. */
  readonly values: number;
  /** When it was written to last as the import ended; empty while that is not known. */
  readonly lastUpdate: string;
}

let lastId = 0;

export function newItem(chosen: Chosen): Item {
  return {
    id: ++lastId,
    chosen,
    step: signal<Step>({ at: 'waiting' }),
    opened: signal<Opened | undefined>(undefined),
    target: signal<Target>({ topic: '', streamId: streamNameOf(chosen), isNamed: false, isAdded: false }),
    topicReason: signal(''),
    there: signal<There | undefined>(undefined),
    startAnswer: signal<StartAnswer | undefined>(undefined),
    choices: signal<SameTimeChoices>({}),
    made: signal<readonly Made[]>([]),
    ending: new AbortController(),
    rereading: Promise.resolve(),
  };
}

/** Where its rows go, without spaces around the names. */
export function placeOf({ target }: Item): Place {
  const { topic, streamId } = target.value;
  return { topic: topic.trim(), streamId: streamId.trim() };
}

/** Tells how far it is, and throws when it has ended. */
export function progress(
  { step }: Item,
  at: 'reading' | 'checking' | 'writing',
  whole: number,
  signal: AbortSignal,
) {
  return (part: number) => {
    signal.throwIfAborted();
    step.value = { at, share: whole === 0 ? 1 : Math.min(1, part / whole) };
  };
}
