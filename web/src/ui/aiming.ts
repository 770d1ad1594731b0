import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Who rests longer than this aims at nothing, ms. */
const restMs = 2000;

/** Whether the pointer is on its way to something in the element that has the ref: what is there should stay in its place. */
export function useAiming<Host extends HTMLElement>(): {
  readonly host: RefObject<Host>;
  readonly isAiming: ReadonlySignal<boolean>;
} {
  const host = useRef<Host>(null) as RefObject<Host>;
  const isAiming = useSignal(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(timer);
      isAiming.value = false;
    };
    const go = () => {
      clearTimeout(timer);
      timer = setTimeout(end, restMs);
      isAiming.value = true;
    };
    const element = host.current!;
    for (const type of ['pointermove', 'pointerdown'] as const) element.addEventListener(type, go);
    element.addEventListener('pointerleave', end);
    return end;
  }, []);
  return { host, isAiming };
}
