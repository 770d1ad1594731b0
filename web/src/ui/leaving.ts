import { isSignedIn } from '../session.ts';

/** Has the browser ask before the page is left, until what it gives is called. Who signs out leaves unasked. */
export function askBeforeLeaving(): () => void {
  const ask = (event: BeforeUnloadEvent): void => {
    if (isSignedIn()) event.preventDefault();
  };
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
}
