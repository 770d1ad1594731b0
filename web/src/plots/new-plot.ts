import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** What a hand does on the plots: from then on they stay where they are. */
const handEvents = ['pointermove', 'pointerdown', 'wheel', 'keydown'];

/** Where not all plots fit, brings a plot that was added to others into sight, and keeps it there until a hand comes. */
export function useNewPlotSeen(host: RefObject<HTMLElement>, names: readonly string[]): void {
  const before = useRef(names);
  useEffect(() => {
    const known = before.current;
    before.current = names;
    const place = names.findIndex((name) => !known.includes(name));
    const plot = host.current?.children[place];
    if (plot === undefined || !names.some((name) => known.includes(name))) return undefined;
    // Its words may need more lines than one.
    const watch = new ResizeObserver(() => plot.scrollIntoView({ block: 'nearest' }));
    watch.observe(plot);
    const end = () => watch.disconnect();
    for (const event of handEvents) host.current!.addEventListener(event, end, { once: true });
    return () => {
      end();
      for (const event of handEvents) host.current?.removeEventListener(event, end);
    };
  }, [names.join('\n')]);
}
