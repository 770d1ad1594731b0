import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { watchSize } from './width.ts';

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The size of the element that has the ref, in whole pixels, now and whenever it changes; 0 by 0 until it is measured.
 * `isPlain`: the element has no padding, and is measured at once, a frame before it would be told.
 */
export function useSize<Host extends Element>({
  isPlain = false,
} = {}): {
  readonly host: RefObject<Host>;
  readonly size: ReadonlySignal<Size>;
} {
  const host = useRef<Host>(null) as RefObject<Host>;
  const size = useSignal<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const keep = (now: Size) => {
      const { width, height } = size.peek();
      if (now.width !== width || now.height !== height) size.value = now;
    };
    const { clientWidth, clientHeight } = host.current!;
    if (isPlain) keep({ width: clientWidth, height: clientHeight });
    return watchSize(host.current!, keep);
  }, []);
  return { host, size };
}
