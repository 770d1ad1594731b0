import type { StreamKey } from '../domain/stream.ts';

/** The events to readers (contract, section 5), as they are called there. */
export type Target =
  | 'ParameterDataReceived'
  | 'EventDataReceived'
  | 'ActiveStreamsChanged'
  | 'TopicMetricsUpdated'
  | 'PackageReceived'
  | 'ParameterDefinitionsUpdated'
  | 'EventDefinitionsUpdated';

/** What subscribers get: one object for all that get the same. */
export interface LiveEvent {
  readonly target: Target;
  /**
   * Plain data: 64-bit integers as bigints, other numbers as numbers, binaries as bytes, null for no value; long lists as
   * `Sequence`, JSON within text as `JsonText`. Made when it is first asked for.
   */
  readonly args: readonly unknown[];
  /** What the event is made of, which it keeps in memory until it is encoded. */
  readonly source: Source;
  /** The stream that it is of; undefined where it is of no single one. */
  readonly place: StreamKey | undefined;
  /** Bytes of the event itself, about: it may be a small part of its source, and others may be made of the same. */
  readonly bytes: number;
  /** The event in a form that `key` names; `make` runs once for each key. */
  form<Form>(key: string, make: (event: LiveEvent) => Form): Form;
}

/** What a package has in memory: one object for all events that are made of it. */
export interface Source {
  /** Bytes, about. */
  readonly bytes: number;
}

/** Of an event that is small in any case: its objects, about. */
const smallBytes = 1000;

export function liveEvent(
  target: Target,
  makeArgs: () => readonly unknown[],
  source: Source = { bytes: smallBytes },
  bytes = source.bytes,
  place?: StreamKey,
): LiveEvent {
  return new KeptEvent(target, makeArgs, source, bytes, place);
}

/** A class, so that the engine knows all events as one shape: a getter of a literal makes one of each object. */
class KeptEvent implements LiveEvent {
  readonly target: Target;
  readonly source: Source;
  readonly bytes: number;
  readonly place: StreamKey | undefined;
  readonly #makeArgs: () => readonly unknown[];
  #args: readonly unknown[] | undefined;
  readonly #forms = new Map<string, unknown>();

  constructor(
    target: Target,
    makeArgs: () => readonly unknown[],
    source: Source,
    bytes: number,
    place: StreamKey | undefined,
  ) {
    this.target = target;
    this.source = source;
    this.bytes = bytes;
    this.place = place;
    this.#makeArgs = makeArgs;
  }

  get args(): readonly unknown[] {
    this.#args ??= this.#makeArgs();
    return this.#args;
  }

  form<Form>(key: string, make: (event: LiveEvent) => Form): Form {
    const known = this.#forms.get(key) as Form | undefined;
    if (known !== undefined) return known;
    const form = make(this);
    this.#forms.set(key, form);
    return form;
  }
}
