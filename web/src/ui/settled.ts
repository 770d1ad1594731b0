import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { atFrame } from './turns.ts';

/**
 * Follows a signal, but only when it has rested for so many milliseconds, and then for a frame: a wheel turned fast is one
 * request, not one per notch, also where a frame takes longer. A value after none is taken at once, and so is one that
 * `mayGoOn` says is no step of many.
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
    let isOld = false;
    // What a hand did meanwhile is told before the frame.
    const takeAtFrame = () =>
      atFrame(() => {
        if (!isOld) rested.value = value;
      });
    const timer = setTimeout(takeAtFrame, restMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  });
  return rested;
}
