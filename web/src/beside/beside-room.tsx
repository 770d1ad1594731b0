import type { ComponentChildren } from 'preact';
import { hasNoChannels } from '../channels/no-channels.tsx';
import { beside, mode } from '../state/view.ts';

/** The room of the panels beside the plots, which have their width from the first picture on. */
export function BesideRoom({ children }: { children: ComponentChildren }) {
  // What the plots say of a run without channels holds here too.
  if (mode.value === 'table' || beside.value.length === 0 || hasNoChannels.value) return null;
  return <div class="beside">{children}</div>;
}
