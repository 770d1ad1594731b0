/**
 * Called between pieces of work of about a millisecond. What it gives is to be waited for: others have their turn meanwhile,
 * such as a page that has to draw.
 */
export type Pace = () => Promise<void> | undefined;

/** For those who need no turns: a command has nothing else to do. */
export const withoutPause: Pace = () => undefined;
