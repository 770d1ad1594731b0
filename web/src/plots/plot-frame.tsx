import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { plotWidth, watchHeight } from './width.ts';

/** Pixels of a line of words, which is what most plots have. */
const oneLine = 26;
/** So much is drawn in any case, however many words there are: the stack scrolls. */
const leastDrawn = 66;

/**
 * A plot below its words: names, controls and values stand above what is drawn, never over it. Values that take more room
 * than any before make it higher once; nothing moves with the cursor.
 * @param shape what the words are of: others begin anew
 */
export function PlotFrame({
  head,
  shape,
  height,
  draw,
}: {
  head: ComponentChildren;
  shape: string;
  height: number;
  draw: (height: number) => ComponentChildren;
}) {
  const host = useRef<HTMLDivElement>(null);
  const now = useSignal(oneLine);
  // It is told before it is seen: to measure each plot as it is made would lay the page out as often.
  useLayoutEffect(
    () =>
      watchHeight(host.current!, (high) => {
        now.value = Math.max(oneLine, high);
      }),
    [],
  );
  const key = `${plotWidth.value} ${shape}`;
  const highest = useRef({ key, height: 0 });
  if (highest.current.key !== key) highest.current = { key, height: 0 };
  const most = Math.max(highest.current.height, now.value);
  highest.current.height = most;
  return (
    <>
      <div class="plot-head" style={{ minHeight: `${most}px` }}>
        <div class="plot-words" ref={host}>
          {head}
        </div>
      </div>
      {draw(Math.max(leastDrawn, height - most))}
    </>
  );
}
