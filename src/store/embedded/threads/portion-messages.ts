import type { PartialAggregate } from '../../../query/states/partial-aggregate.ts';
import type { StreamsWork } from '../read/portions.ts';
import type { SentNames, SentPlan } from './sent-streams.ts';
import type { ToldError } from './told-error.ts';

/** What crosses between the thread of a read and one that takes portions of it; the first closes the port at the end. */
export type ToHelper =
  | { readonly type: 'work'; readonly work: StreamsWork }
  | {
      readonly type: 'portion';
      readonly number: number;
      readonly plans: readonly SentPlan[];
      readonly names: readonly SentNames[];
    }
  /** The rows of that portion are not needed any more. */
  | { readonly type: 'joined'; readonly number: number };

export type FromHelper =
  | { readonly type: 'ready' }
  | { readonly type: 'rows'; readonly number: number; readonly rows: PartialAggregate }
  /** Its last message. */
  | { readonly type: 'error'; readonly error: ToldError };
