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
    const stack = host.current;
    const plot = stack?.children[place];
    if (!stack || plot === undefined || !names.some((name) => known.includes(name))) return undefined;
    const see = () => plot.scrollIntoView({ block: 'nearest' });
    // Words of any plot may need more lines than one, which moves those below it.
    const watch = new ResizeObserver(see);
    for (const one of stack.children) watch.observe(one);
    // While a plot is made anew the others fit, and nothing is scrolled any more.
    stack.addEventListener('scroll', see);
    const end = () => {
      watch.disconnect();
      stack.removeEventListener('scroll', see);
      for (const event of handEvents) stack.removeEventListener(event, end);
    };
    for (const event of handEvents) stack.addEventListener(event, end);
    return end;
  }, [names.join('\n')]);
}
