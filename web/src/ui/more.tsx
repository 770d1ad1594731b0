import { hasOwnToken, isShared, leaveShared, signOut } from '../session.ts';
import { withSheet } from '../state/sheets.ts';
import { show, streams, view } from '../state/view.ts';
import { HelpButton } from './help.tsx';
import { PopupMenu } from './popup-menu.tsx';

/** What is needed seldom. */
export function More() {
  return (
    <PopupMenu title="More" sign="⋯" kind="more">
      {(close) => (
        <>
          <a href="./docs">API</a>
          <HelpButton />
          {streams.value.length > 0 && (
            <button
              type="button"
              onClick={() => {
                show(withSheet(view.peek()));
                close();
              }}
            >
              New sheet
            </button>
          )}
          <button type="button" onClick={isShared ? leaveShared : signOut}>
            {hasOwnToken ? 'Leave the shared view' : isShared ? 'Sign in' : 'Sign out'}
          </button>
        </>
      )}
    </PopupMenu>
  );
}
