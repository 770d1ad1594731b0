import { signal } from '@preact/signals';
import type { Bounds } from '../look/bounds.ts';
import type { Gestures } from '../look/gestures.ts';
import type { KeyActions } from '../look/keys.ts';
import { stable } from '../state/stable.ts';
import { show, view } from '../state/view.ts';
import { settled } from '../ui/settled.ts';

/** What is seen of the axis that laps are laid over; undefined: all. */
export const across = stable(() => view.value.across);
/** The same, when the hand that zooms has rested. */
export const restedAcross = settled(across, 60);

/** Where the pointer is on it; undefined where it is over no plot. */
export const cursorPlace = signal<number | undefined>(undefined);

const all = () => show({ across: undefined });

/** Less of the axis than this share of its numbers cannot be told apart. */
const narrowest = 1e-9;

function zoomed([low, high]: Bounds, around: number, factor: number): void {
  const [from, to] = [around - (around - low) * factor, around + (high - around) * factor];
  if (to - from > narrowest * Math.max(1, Math.abs(around))) show({ across: [from, to] }, 'replace');
}

function panned([low, high]: Bounds, share: number): void {
  const by = (high - low) * share;
  show({ across: [low + by, high + by] }, 'replace');
}

/** What hands do while so much is seen. */
export function acrossGestures(seen: Bounds): Gestures {
  return {
    select: (from, to) => show({ across: [from, to] }),
    zoom: (around, factor) => zoomed(seen, around, factor),
    pan: (share) => panned(seen, share),
    all,
  };
}

/** What keys do while so much is seen. */
export function acrossKeys(seen: Bounds): KeyActions {
  return {
    zoom: (factor) => zoomed(seen, (seen[0] + seen[1]) / 2, factor),
    pan: (share) => panned(seen, share),
    all,
  };
}
