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
   * Plain data: 64-bit integers as bigints, other numbers as numbers, binaries as bytes, null for no value. Made when
   * it is first asked for.
   */
  readonly args: readonly unknown[];
  /** The event in a form that `key` names; `encode` runs once for each key. */
  encoded(key: string, encode: (event: LiveEvent) => Uint8Array): Uint8Array;
}

export function liveEvent(target: Target, makeArgs: () => readonly unknown[]): LiveEvent {
  let args: readonly unknown[] | undefined;
  const forms = new Map<string, Uint8Array>();
  return {
    target,
    get args() {
      args ??= makeArgs();
      return args;
    },
    encoded(key, encode) {
      let form = forms.get(key);
      if (form === undefined) {
        form = encode(this);
        forms.set(key, form);
      }
      return form;
    },
  };
}
