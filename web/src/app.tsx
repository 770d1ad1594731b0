import { computed } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { BesideRoom } from './beside/beside-room.tsx';
import { edited } from './channels/edited.ts';
import { WarningNote } from './channels/warning-note.tsx';
import { ImportDialog } from './import/import-dialog.tsx';
import { LiveSwitch } from './live/live-switch.tsx';
import { Modes, Panels } from './modes.tsx';
import {
  BesidePanels,
  ExportSheet,
  LeftOpenLine,
  NoteDialog,
  Overlay,
  PartsProblem,
  ShareDialog,
  SheetTabs,
  Table,
  ViewsDialog,
} from './parts.tsx';
import { BandsChoice } from './plots/bands-choice.tsx';
import { inks } from './plots/inks.ts';
import { Plots } from './plots/plots.tsx';
import { RangeBar } from './plots/range-bar.tsx';
import { Strip } from './plots/strip.tsx';
import { watchWidth } from './plots/width.ts';
import { keepFresh } from './runs/found.ts';
import { MissingLine } from './runs/missing-line.tsx';
import { hasNoRuns, NoRunsYet } from './runs/no-runs.tsx';
import { isFinding } from './runs/open-newest.ts';
import { RunName } from './runs/run-name.tsx';
import { isShared, token } from './session.ts';
import { ShareButton, ViewsButton } from './share/buttons.tsx';
import { Export } from './share/export.tsx';
import { Opening } from './share/opening.tsx';
import { LeftSide, RightSide, SheetBar } from './sides.tsx';
import { mode, panel, streams, view } from './state/view.ts';
import { Help } from './ui/help.tsx';
import { More } from './ui/more.tsx';
import { AwayBanner, Empty } from './ui/notice.tsx';
import { leftWidth } from './ui/side-width.tsx';
import { SignIn } from './ui/sign-in.tsx';
import { Undo, useUndoKeys } from './ui/undo.tsx';

const hasSheets = computed(() => view.value.sheets.length > 0);

function Shown() {
  switch (mode.value) {
    case 'overlay':
      return <Overlay />;
    case 'table':
      return <Table />;
    default:
      return <Plots />;
  }
}

function NoRun() {
  if (isFinding.value) return <Empty title="Loading…" />;
  if (hasNoRuns.value) return <NoRunsYet />;
  return (
    <Empty title="No run is open">
      <p>Choose one under Runs. Tick several to see them together.</p>
    </Empty>
  );
}

export function App() {
  const shown = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (shown.current === null) return undefined;
    const end = watchWidth(shown.current);
    // Styles are known here: the plots, which change much of the page, find them.
    inks.peek();
    return end;
  }, [token.value]);
  // It also finds out when a service that was away is back.
  useEffect(() => (token.value === '' ? undefined : keepFresh()), [token.value]);
  useUndoKeys();
  if (token.value === '') return <SignIn />;
  const hasStreams = streams.value.length > 0;
  return (
    <div
      class={`app ${panel.value === 'none' || !hasStreams ? 'wide' : ''}`}
      style={{ '--left-side': `${leftWidth.value}px` }}
    >
      <header class="top">
        <h1>Pitwall</h1>
        <RunName />
        <Strip />
        <RangeBar />
        {hasStreams && <Undo place="beside-strip" />}
        <LiveSwitch />
        {!isShared && hasStreams && <ShareButton />}
        {hasStreams && (
          <Export>
            <ExportSheet />
          </Export>
        )}
        {/* What comes with a run stands before these two, which keep their places. */}
        {isShared ? <span class="shared">Shared, read only</span> : <ViewsButton />}
        <More />
      </header>
      <AwayBanner />
      <LeftSide />
      <main>
        <PartsProblem />
        {hasStreams && (
          <div class="tools">
            <Modes />
            <Panels />
            {mode.value === 'time' && <BandsChoice />}
            <Undo place="beside-modes" />
          </div>
        )}
        <div class="work">
          <div class="shown" ref={shown}>
            {hasStreams ? (
              <Shown />
            ) : (
              <Opening>
                <NoRun />
              </Opening>
            )}
          </div>
          {hasStreams && (
            <BesideRoom>
              <BesidePanels />
            </BesideRoom>
          )}
        </div>
        {hasStreams && (
          <div class={`sheets ${hasSheets.value ? '' : 'none'}`}>
            <SheetTabs />
          </div>
        )}
        {/* Lines that come later, below all that they would move. What is wrong with an expression that one types is said beside it. */}
        {edited.value === undefined && <WarningNote />}
        <MissingLine />
        <LeftOpenLine />
      </main>
      <RightSide />
      <SheetBar />
      {!isShared && <ImportDialog />}
      {!isShared && <ViewsDialog />}
      {!isShared && <ShareDialog />}
      <NoteDialog />
      <Help />
    </div>
  );
}
