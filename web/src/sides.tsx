import { signal } from '@preact/signals';
import { ChannelList } from './channels/channel-list.tsx';
import { ImportButton } from './import/drop.tsx';
import { NewChannel } from './math/new-channel.tsx';
import { LapMeasure, LapTable, MathForm, Measure, TrackMap } from './parts.tsx';
import { EventList } from './plots/event-list.tsx';
import { StreamDetails } from './runs/stream-details.tsx';
import { StreamList } from './runs/stream-list.tsx';
import { isShared } from './session.ts';
import { mode, show, panel as shownPanel, streams } from './state/view.ts';
import type { Panel } from './state/view-text.ts';
import { isRested } from './ui/rested.ts';
import { SideEdge } from './ui/side-width.tsx';
import { Tabs } from './ui/tabs.tsx';

type LeftTab = 'runs' | 'channels';

const leftTabs: readonly (readonly [LeftTab, string])[] = [
  ['runs', 'Runs'],
  ['channels', 'Channels'],
];
type OpenPanel = Exclude<Panel, 'none'>;
const rightTabs: readonly (readonly [OpenPanel, string])[] = [
  ['laps', 'Laps'],
  ['measure', 'Measure'],
  ['map', 'Map'],
  ['events', 'Events'],
];

const leftTab = signal<LeftTab>(
  // Who opens a shared link comes for one view.
  streams.peek().length === 0 && !isShared ? 'runs' : 'channels',
);
/** On a phone the sides are sheets that come from below, one at a time. */
export const sheet = signal<'left' | 'right' | 'none'>('none');

/** Runs and channels. */
export function LeftSide() {
  return (
    <aside class={`left ${sheet.value === 'left' ? 'open' : ''}`} aria-label="Runs and channels">
      <Tabs
        label="Runs and channels"
        tabs={leftTabs}
        chosen={leftTab.value}
        onChoose={(tab) => {
          leftTab.value = tab;
        }}
      />
      <div
        class="panel"
        role="tabpanel"
        id={`panel-${leftTab.value}`}
        aria-labelledby={`tab-${leftTab.value}`}
      >
        {/* What is typed there stays while one looks at runs. */}
        <div class="channel-maker" hidden={leftTab.value !== 'channels'}>
          <NewChannel form={<MathForm />} />
        </div>
        {leftTab.value === 'channels' ? (
          isRested.value && <ChannelList />
        ) : (
          <>
            <StreamDetails />
            <StreamList />
          </>
        )}
      </div>
      {!isShared && <ImportButton />}
      <SideEdge />
    </aside>
  );
}

/** Laps, values, map and events; it folds away. */
export function RightSide() {
  const panel = shownPanel.value;
  if (streams.value.length === 0) return null;
  if (panel === 'none') {
    return (
      <aside class="right folded" aria-label="Laps, values, map and events">
        <button
          type="button"
          class="quiet"
          aria-label="Unfold"
          onClick={() => show({ panel: 'laps' }, 'replace')}
        >
          «
        </button>
      </aside>
    );
  }
  return (
    <aside class={`right ${sheet.value === 'right' ? 'open' : ''}`} aria-label="Laps, values, map and events">
      <div class="tab-line">
        <Tabs
          label="Laps, values, map and events"
          tabs={rightTabs}
          chosen={panel}
          onChoose={(next) => show({ panel: next }, 'replace')}
        />
        <button
          type="button"
          class="quiet"
          aria-label="Fold"
          onClick={() => show({ panel: 'none' }, 'replace')}
        >
          »
        </button>
      </div>
      <div class="panel" role="tabpanel" id={`panel-${panel}`} aria-labelledby={`tab-${panel}`}>
        {panel === 'laps' && <LapTable />}
        {panel === 'measure' && (mode.value === 'overlay' ? <LapMeasure /> : <Measure />)}
        {panel === 'map' && <TrackMap />}
        {panel === 'events' && <EventList />}
      </div>
    </aside>
  );
}

/** On a phone: which sheet is open, and what it shows. */
export function SheetBar() {
  const choose = (side: 'left' | 'right', isChosen: boolean, onChoose: () => void) => () => {
    const isOpen = sheet.value === side && isChosen;
    onChoose();
    sheet.value = isOpen ? 'none' : side;
  };
  // Without a run there is nothing on the right; the buttons have their places.
  const hasRight = streams.value.length > 0;
  return (
    <nav class="sheet-bar" aria-label="Sheets">
      {leftTabs.map(([tab, text]) => (
        <button
          key={tab}
          type="button"
          aria-expanded={sheet.value === 'left' && leftTab.value === tab}
          onClick={choose('left', leftTab.value === tab, () => {
            leftTab.value = tab;
          })}
        >
          {text}
        </button>
      ))}
      {rightTabs.map(([panel, text]) => (
        <button
          key={panel}
          type="button"
          disabled={!hasRight}
          aria-expanded={sheet.value === 'right' && shownPanel.value === panel}
          onClick={choose('right', shownPanel.value === panel, () => show({ panel }, 'replace'))}
        >
          {text}
        </button>
      ))}
    </nav>
  );
}
