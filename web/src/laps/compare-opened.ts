import { effect } from '@preact/signals';
import { isStream } from '../state/same-stream.ts';
import { isLive, mode, picks, show, streams } from '../state/view.ts';
import type { LapRef } from '../state/view-text.ts';
import { lapList } from './lap-list.ts';
import { isLapSourceSure } from './lap-source.ts';
import { tickBest } from './picks.ts';

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
