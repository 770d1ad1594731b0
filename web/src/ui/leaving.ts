import { isSigningOut } from '../session.ts';

/** Whether there is something that would be lost with it: it is typed and not saved, or being written. */
export function hasUnsaved(part: ParentNode): boolean {
  return part.querySelector('[data-unsaved="true"]') !== null;
}

// The browser asks before the page is left. Who signs out leaves unasked.
addEventListener('beforeunload', (event) => {
  if (hasUnsaved(document) && !isSigningOut()) event.preventDefault();
});
