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
): LiveEvent {
  let args: readonly unknown[] | undefined;
  const forms = new Map<string, unknown>();
  return {
    target,
    source,
    get args() {
      args ??= makeArgs();
      return args;
    },
    form<Form>(key: string, make: (event: LiveEvent) => Form): Form {
      const known = forms.get(key) as Form | undefined;
      if (known !== undefined) return known;
      const form = make(this);
      forms.set(key, form);
      return form;
    },
  };
}
