import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Overlay } from './compare/overlay.tsx';
import { CursorPlace } from './compare/overlay-plot.tsx';
import { XyPlot } from './compare/xy.tsx';
import { Export } from './export/export.tsx';
import { Table } from './export/table.tsx';
import { StreamList } from './find/stream-list.tsx';
import { ImportButton } from './import/drop.tsx';
import { ImportDialog } from './import/import-dialog.tsx';
import { LiveSwitch } from './live/live-switch.tsx';
import { BandsChoice } from './look/bands-choice.tsx';
import { CursorTime } from './look/cursor-time.tsx';
import { ParameterTree } from './look/parameter-tree.tsx';
import { Plots } from './look/plots.tsx';
import { RangeBar } from './look/range-bar.tsx';
import { StreamDetails } from './look/stream-details.tsx';
import { watchWidth } from './look/width.ts';
import { signOut, token } from './session.ts';
import { show, view } from './state/view.ts';
import type { Mode } from './state/view-text.ts';
import { Help } from './ui/help.tsx';
import { AwayBanner, Empty } from './ui/notice.tsx';
import { SignIn } from './ui/sign-in.tsx';

const modes: readonly (readonly [Mode, string])[] = [
  ['time', 'Over time'],
  ['overlay', 'Compare'],
  ['xy', 'XY'],
  ['table', 'Rows'],
];

/** The ways to look at the open streams. */
function Modes() {
  return (
    <nav class="modes" aria-label="Ways to look">
      {modes.map(([mode, text]) => (
        <button
          key={mode}
          type="button"
          aria-pressed={view.value.mode === mode}
          onClick={() => show({ mode })}
        >
          {text}
        </button>
      ))}
    </nav>
  );
}

function Shown() {
  switch (view.value.mode) {
    case 'overlay':
      return <Overlay />;
    case 'xy':
      return <XyPlot />;
    case 'table':
      return <Table />;
    default:
      return <Plots />;
  }
}

/** On a phone the streams fold away; on a wide page they are always there. */
const isSidebarOpen = signal(view.peek().streams.length === 0);

export function App() {
  const main = useRef<HTMLElement>(null);
  useEffect(() => (main.current === null ? undefined : watchWidth(main.current)), [token.value]);
  if (token.value === '') return <SignIn />;
  const hasStreams = view.value.streams.length > 0;
  return (
    <div class="app">
      <header class="top">
        <h1>Pitwall</h1>
        <button
          type="button"
          class="fold"
          aria-expanded={isSidebarOpen.value}
          aria-controls="sidebar"
          onClick={() => {
            isSidebarOpen.value = !isSidebarOpen.value;
          }}
        >
          Streams
        </button>
        <RangeBar />
        <LiveSwitch />
        <a href="./docs">API</a>
        <Help />
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </header>
      <AwayBanner />
      <aside id="sidebar" class={isSidebarOpen.value ? '' : 'folded'}>
        <StreamList />
        <ImportButton />
        {hasStreams && <StreamDetails />}
        {hasStreams && <ParameterTree />}
      </aside>
      <main ref={main}>
        {hasStreams && (
          <div class="tools">
            <Modes />
            {view.value.mode === 'time' && <BandsChoice />}
            <Export />
            {view.value.mode === 'time' && <CursorTime />}
            {view.value.mode === 'overlay' && <CursorPlace />}
          </div>
        )}
        {hasStreams ? (
          <Shown />
        ) : (
          <Empty title="Open a stream">
            <p>Choose one on the left. Tick several to see them together.</p>
          </Empty>
        )}
      </main>
      <ImportDialog />
    </div>
  );
}
