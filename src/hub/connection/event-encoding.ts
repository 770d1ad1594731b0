import type { LiveEvent, Source } from '../../live/live-event.ts';
import type { Slices } from '../../turns/slices.ts';
import type { Steps } from '../../turns/steps.ts';
import { type OutgoingMessage, type UnmadeMessage, unmadeMessage } from './outgoing-message.ts';
import type { QueueMemory } from './queue-memory.ts';

/**
 * Makes messages of events: one for each event and form of it, which all readers of that form share. It works in slices
 * of the thread's time. What does not fit the slice of now is made later: short events before long ones, and of
 * the long ones one after the other, so that no more than one stands in memory half made.
 */
export interface EventEncoding {
  /** The message that an event is in the form that `key` names; it may be still to be made. */
  message(event: LiveEvent, key: string, encode: (event: LiveEvent) => Steps<Uint8Array>): OutgoingMessage;
  /** A message for one reader only. `source` is what it is made of, and what counts until it is made. */
  own(source: Source, steps: Steps<Uint8Array>): OutgoingMessage;
}

interface Making {
  readonly message: UnmadeMessage;
  readonly steps: Steps<Uint8Array>;
}

/** What the form of an event keeps; a message that nobody waited for any more is begun anew. */
interface Form {
  message: OutgoingMessage | undefined;
  wasLeft: boolean;
}

function emptyForm(): Form {
  return { message: undefined, wasLeft: false };
}

/**
 * The size that an answer counts in the queue of its reader while it is being made: events behind it are not too
 * many for that.
 */
const shortBytes = 1000;

/** Steps of an event before it counts as a long one; each is a fraction of a millisecond. */
const shortSteps = 4;

export function createEventEncoding(slices: Slices, memory: QueueMemory): EventEncoding {
  const fresh: (Making & { readonly form: Form })[] = [];
  const long: (Making & { readonly form: Form })[] = [];
  let isScheduled = false;

  /** True when the message is made. */
  const makeOn = ({ message, steps }: Making): boolean => {
    const step = steps.next();
    if (step.done !== true) return false;
    const { source, whenMade } = message;
    message.bytes = step.value;
    message.source = undefined;
    memory.made(message, source!);
    for (const tell of [...whenMade]) tell();
    whenMade.clear();
    return true;
  };

  const isLeft = ({ message, form }: (typeof fresh)[number]): boolean => {
    form.wasLeft = message.holders === 0;
    return form.wasLeft;
  };

  const makeFresh = (): void => {
    const making = fresh.shift()!;
    if (isLeft(making)) return;
    for (let step = 0; step < shortSteps; step++) if (makeOn(making)) return;
    long.push(making);
  };

  const makeLong = (): void => {
    const making = long[0]!;
    if (isLeft(making) || makeOn(making)) long.shift();
  };

  const schedule = (): void => {
    if (isScheduled || (fresh.length === 0 && long.length === 0)) return;
    isScheduled = true;
    slices.later(goOn);
  };

  const goOn = (): void => {
    isScheduled = false;
    // Both get on in every slice, however short it is.
    if (long.length > 0) makeLong();
    do {
      if (fresh.length > 0) makeFresh();
      else if (long.length > 0) makeLong();
      else return;
    } while (!slices.isOver());
    schedule();
  };

  const begin = (message: UnmadeMessage, form: Form, steps: Steps<Uint8Array>): OutgoingMessage => {
    const making = { message, steps, form };
    if (fresh.length === 0) {
      // One step in any case: to wait for a message costs each of its readers more than most messages take to make.
      for (let step = 0; step === 0 || (step < shortSteps && !slices.isOver()); step++)
        if (makeOn(making)) return message;
    }
    fresh.push(making);
    schedule();
    return message;
  };

  return {
    message(event, key, encode) {
      const form = event.form(key, emptyForm);
      if (form.message === undefined || form.wasLeft) {
        form.wasLeft = false;
        form.message = begin(unmadeMessage(event.source, event.bytes), form, encode(event));
      }
      return form.message;
    },

    own: (source, steps) => begin(unmadeMessage(source, shortBytes), emptyForm(), steps),
  };
}
