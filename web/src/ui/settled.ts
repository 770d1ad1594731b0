import { effect, type ReadonlySignal, signal } from '@preact/signals';

/**
 * Follows a signal, but only when it has rested for so many milliseconds: a wheel turned fast is one request, not one per
 * notch. A value after none is taken at once.
 */
export function settled<Value>(source: ReadonlySignal<Value>, restMs: number): ReadonlySignal<Value> {
  const rested = signal(source.peek());
  effect(() => {
    const value = source.value;
    if (rested.peek() === undefined || value === undefined) {
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
