import { effect, type ReadonlySignal, signal } from '@preact/signals';

/**
 * Follows a signal, but only when it has rested for so many milliseconds: a wheel turned fast is one request, not one per
 * notch. A value after none is taken at once, and so is one that `mayGoOn` says is no step of many.
 */
export function settled<Value>(
  source: ReadonlySignal<Value>,
  restMs: number,
  mayGoOn: (value: Value) => boolean = () => true,
): ReadonlySignal<Value> {
  const rested = signal(source.peek());
  effect(() => {
    const value = source.value;
    if (rested.peek() === undefined || value === undefined || !mayGoOn(value)) {
      rested.value = value;
      return undefined;
    }
    const timer = setTimeout(() => {
      rested.value = value;
    }, restMs);
    return () => clearTimeout(timer);
  });
  return rested;
}
