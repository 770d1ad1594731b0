export interface Spaced<Value> {
  readonly put: (value: Value) => void;
  /** What waits is done now. */
  readonly end: () => void;
  /** What waits is not done. */
  readonly drop: () => void;
}

/**
 * Does something with a value at once, and with those that come in the pause behind it only with the last, at its end: what
 * changes with every frame is not kept as often.
 */
export function spaced<Value>(pauseMs: number, work: (value: Value) => void): Spaced<Value> {
  let waiting: { readonly value: Value } | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    const last = waiting;
    waiting = undefined;
    if (last !== undefined) work(last.value);
  };
  return {
    put(value) {
      waiting = { value };
      if (pause !== undefined) return;
      const rest = () => {
        pause = waiting && setTimeout(rest, pauseMs);
        end();
      };
      rest();
    },
    end,
    drop() {
      waiting = undefined;
    },
  };
}
