import { show } from '../state/view.ts';
import { pan, range, zoom } from './range.ts';

/** Keys on the plots: arrows pan, + and - zoom, 0 shows everything. */
export function onPlotKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const now = range.value;
  if (now === undefined) return;
  const middle = now.from + (now.to - now.from) / 2n;
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => pan(event.shiftKey ? -0.5 : -0.1),
    ArrowRight: () => pan(event.shiftKey ? 0.5 : 0.1),
    '+': () => zoom(middle, 0.7),
    '=': () => zoom(middle, 0.7),
    '-': () => zoom(middle, 1.4),
    '0': () => show({ range: undefined }),
  };
  const action = actions[event.key];
  if (action === undefined || event.target !== event.currentTarget) return;
  event.preventDefault();
  action();
}
