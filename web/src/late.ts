// What the first picture does not need: a file of its own, loaded when the page is at rest, or when it is wanted.
import { compareOpened, tickAsked } from './laps/compare-opened.ts';
import { watchLaterLaps } from './laps/later-laps.ts';

export { LapMeasure } from './laps/lap-measure.tsx';
export { LapTable } from './laps/lap-table.tsx';
export { Overlay } from './laps/overlay.tsx';
export { compare } from './laps/picks.ts';
export { TrackMap } from './map/track-map.tsx';
export { Measure } from './measure/measure.tsx';
export { LeftOpenLine } from './notes/left-open-line.tsx';
export { Table } from './share/table.tsx';
export { SheetTabs } from './ui/sheet-tabs.tsx';

compareOpened();
tickAsked();
watchLaterLaps();
