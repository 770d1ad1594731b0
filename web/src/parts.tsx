import { effect } from '@preact/signals';
import { edited } from './channels/edited.ts';
import { openNote } from './plots/note.ts';
import { isExporting, isListed, isSharing } from './share/opened.ts';
import { beside, mode } from './state/view.ts';
import { late } from './ui/late.tsx';
import { Problem } from './ui/notice.tsx';
import { isRested } from './ui/rested.ts';

const { part, load, hasFailed } = late(() => import('./late.ts'));
const panels = late(() => import('./panels.ts'));

/** What was opened, or the address names, waits for nothing. */
effect(() => {
  if (isRested.value || mode.value !== 'time' || beside.value.length > 0) load();
});

effect(() => {
  const isOpened = isListed.value || isSharing.value || isExporting.value;
  const isWritten = edited.value !== undefined || openNote.value !== undefined;
  if (isOpened || isWritten || beside.value.length > 0) panels.load();
});

export const BesidePanels = panels.part('BesidePanels');
export const ExportSheet = panels.part('ExportSheet');
export const LapMeasure = part('LapMeasure');
export const LapTable = part('LapTable');
export const LeftOpenLine = part('LeftOpenLine');
export const MathForm = panels.part('MathForm');
export const Measure = part('Measure');
export const NoteDialog = panels.part('NoteDialog');
export const Overlay = part('Overlay');
export const SheetTabs = part('SheetTabs');
export const ShareDialog = panels.part('ShareDialog');
export const Table = part('Table');
export const TrackMap = part('TrackMap');
export const ViewsDialog = panels.part('ViewsDialog');

/** Goes to laps over each other. */
export async function showComparison(): Promise<void> {
  (await load())?.compare();
}

/** Says that they could not be loaded: the address has all that is seen, so the page begins anew. */
export function PartsProblem() {
  return hasFailed.value || panels.hasFailed.value ? (
    <Problem error={new Error('A part of the page could not be loaded.')} onRetry={() => location.reload()} />
  ) : null;
}
