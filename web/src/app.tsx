import { StreamList } from './find/stream-list.tsx';
import { LiveSwitch } from './live/live-switch.tsx';
import { ParameterTree } from './look/parameter-tree.tsx';
import { Plots } from './look/plots.tsx';
import { RangeBar } from './look/range-bar.tsx';
import { signOut, token } from './session.ts';
import { view } from './state/view.ts';
import { Empty } from './ui/notice.tsx';
import { SignIn } from './ui/sign-in.tsx';

export function App() {
  if (token.value === '') return <SignIn />;
  const hasStreams = view.value.streams.length > 0;
  return (
    <div class="app">
      <header class="top">
        <h1>Pitwall</h1>
        <RangeBar />
        <LiveSwitch />
        <a href="./docs">API</a>
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </header>
      <aside>
        <StreamList />
        {hasStreams && <ParameterTree />}
      </aside>
      <main>
        {hasStreams ? (
          <Plots />
        ) : (
          <Empty title="Open a stream">
            <p>Choose one on the left. Tick several to see them together.</p>
          </Empty>
        )}
      </main>
    </div>
  );
}
