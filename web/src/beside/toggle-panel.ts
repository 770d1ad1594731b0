import { beside, show } from '../state/view.ts';
import type { Beside } from '../state/view-text.ts';

/** Shows a panel, or takes it away. */
export function togglePanel(panel: Beside): void {
  const open = beside.value;
  show({ beside: open.includes(panel) ? open.filter((other) => other !== panel) : [...open, panel] });
}
