import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';

interface Props<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Pixels. */
  readonly heightOf: (item: Item) => number;
  readonly render: (item: Item) => ComponentChildren;
  /** The last item has come into view. */
  readonly onEnd?: () => void;
}

/** Items beyond the edges that are there as well, so that Tab finds them. */
const beyond = 4;

/** A list that scrolls by itself and has no more of its items in the page than are seen. */
export function VirtualList<Item>({ label, items, keyOf, heightOf, render, onEnd }: Props<Item>) {
  const host = useRef<HTMLDivElement>(null);
  const seen = useSignal({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = host.current!;
    const look = () => {
      seen.value = { top: element.scrollTop, height: element.clientHeight };
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => observer.disconnect();
  }, []);
  const tops = useMemo(() => {
    const found = [0];
    for (const item of items) found.push(found.at(-1)! + heightOf(item));
    return found;
  }, [items, heightOf]);
  const { top, height } = seen.value;
  const first = Math.max(0, placeOf(tops, top) - beyond);
  const last = Math.min(items.length, placeOf(tops, top + height) + 1 + beyond);
  useLayoutEffect(() => {
    if (last === items.length && items.length > 0) onEnd?.();
  }, [last, items.length, onEnd]);
  const shown = items.slice(first, last);
  const focused = useRef(-1);
  const nodes = useRef<ReadonlyMap<string, number>>(new Map());
  nodes.current = takenNodes(nodes.current, shown.map(keyOf), focused.current);
  return (
    <div ref={host} class="virtual">
      <ul aria-label={label} style={{ height: `${tops.at(-1)}px` }}>
        {shown.map((item, i) => {
          const node = nodes.current.get(keyOf(item))!;
          return (
            <li
              key={node}
              aria-setsize={items.length}
              aria-posinset={first + i + 1}
              style={{ top: `${tops[first + i]}px`, height: `${heightOf(item)}px` }}
              onFocusIn={() => {
                focused.current = node;
              }}
              onFocusOut={() => {
                focused.current = -1;
              }}
            >
              {render(item)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/**
 * Returns the number of the node of each key. What comes into view takes nodes of what left it, for these take longer to make
 * than to change.
 *
 * @param before the same of what was seen last
 * @param focused a node that is not taken, or -1: it goes with its key, and the focus with it
 */
function takenNodes(
  before: ReadonlyMap<string, number>,
  keys: readonly string[],
  focused: number,
): Map<string, number> {
  const wanted = new Set(keys);
  const free = [...before].flatMap(([key, node]) => (wanted.has(key) || node === focused ? [] : [node]));
  let made = Math.max(-1, ...before.values());
  return new Map(keys.map((key) => [key, before.get(key) ?? free.shift() ?? ++made]));
}

/** The last item that begins at or above a pixel. */
function placeOf(tops: readonly number[], pixel: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (tops[middle]! <= pixel) low = middle;
    else high = middle - 1;
  }
  return low;
}
