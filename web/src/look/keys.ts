import { show } from '../state/view.ts';
import { pan, seenRange, zoom } from './range.ts';

/** What keys do to an axis. */
export interface KeyActions {
  /** Moves by a share of what is shown. */
  pan(share: number): void;
  /** Zooms around the middle; a factor below 1 zooms in. */
  zoom(factor: number): void;
  /** Shows everything. */
  all(): void;
}

/** Keys on plots: arrows pan, + and - zoom, 0 shows everything. */
export function onPlotKey(event: KeyboardEvent, { pan, zoom, all }: KeyActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => pan(event.shiftKey ? -0.5 : -0.1),
    ArrowRight: () => pan(event.shiftKey ? 0.5 : 0.1),
    '+': () => zoom(0.7),
    '=': () => zoom(0.7),
    '-': () => zoom(1.4),
    '0': all,
  };
  const action = actions[event.key];
  if (action === undefined || event.target !== event.currentTarget) return;
  event.preventDefault();
  action();
}

/** Keys on plots over time. */
export function onTimeKey(event: KeyboardEvent): void {
  const now = seenRange.value;
  if (now === undefined) return;
  onPlotKey(event, {
    pan,
    zoom: (factor) => zoom(now.from + (now.to - now.from) / 2n, factor),
    all: () => show({ range: undefined }),
  });
}
