import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useSize } from './use-size.ts';
import { plotWidth } from './width.ts';

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
  const { host, size } = useSize<HTMLDivElement>({ isPlain: true });
  const key = `${plotWidth.value} ${shape}`;
  const highest = useRef({ key, height: 0 });
  if (highest.current.key !== key) highest.current = { key, height: 0 };
  const most = Math.max(highest.current.height, size.value.height);
  highest.current.height = most;
  return (
    <>
      <div class="plot-head" style={{ minHeight: `${Math.max(oneLine, most)}px` }}>
        <div class="plot-words" ref={host}>
          {head}
        </div>
      </div>
      {draw(Math.max(leastDrawn, height - Math.max(oneLine, most)))}
    </>
  );
}
