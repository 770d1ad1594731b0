import { effect } from '@preact/signals';
import { isStream } from '../state/same-stream.ts';
import { isLive, mode, picks, show, streams, view } from '../state/view.ts';
import type { LapRef } from '../state/view-text.ts';
import { lapList } from './lap-list.ts';
import { isLapSourceSure } from './lap-source.ts';
import { areLapsKnown, comparison, isBestAsked, tickBest } from './picks.ts';

/**
 * Where runs are opened while laps of others are ticked, their best laps stand for those: a comparison goes on with what is
 * open. Without whole laps the runs are seen over time.
 */
export function compareOpened(): void {
  effect(() => {
    const { value, busy } = lapList.value;
    const open = streams.value;
    const ticked = picks.value;
    if (!isLapSourceSure.value) return;
    if (mode.value !== 'overlay' || ticked.length === 0 || open.length === 0) return;
    const isOpen = ({ stream }: Pick<LapRef, 'stream'>) => open.some((own) => isStream(own, stream));
    if (ticked.some(isOpen) || busy || value === undefined) return;
    // Those of the runs that were open before say nothing of these.
    if (!value.every(isOpen)) return;
    const best = tickBest();
    const isOverTime = best.length === 0 && !isLive.peek();
    show(
      { picks: best, overlayValues: [], across: undefined, ...(isOverTime && { mode: 'time' }) },
      'settle',
    );
  });
}

/** Ticks the best laps where laps over each other were asked for before it was known which there are, unless others are chosen. */
export function tickAsked(): void {
  effect(() => {
    if (!isBestAsked.value) return;
    const isLeft = mode.value !== 'overlay' || picks.value.length > 0 || view.value.overlayValues.length > 0;
    if (!isLeft && !areLapsKnown()) return;
    isBestAsked.value = false;
    if (!isLeft) show(comparison(), 'settle');
  });
}
