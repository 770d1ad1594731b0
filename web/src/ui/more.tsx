import { hasOwnToken, isShared, leaveShared, signOut } from '../session.ts';
import { HelpButton } from './help.tsx';

/** What is needed seldom. */
export function More() {
  return (
    <details class="more" name="top-menu">
      <summary aria-label="More">⋯</summary>
      <div class="sheet">
        <a href="./docs">API</a>
        <HelpButton />
        <button type="button" onClick={isShared ? leaveShared : signOut}>
          {hasOwnToken ? 'Leave the shared view' : isShared ? 'Sign in' : 'Sign out'}
        </button>
      </div>
    </details>
  );
}
