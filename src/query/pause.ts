/** Asked between small steps of long work: a promise where others wait for the thread. Throws when nobody wants it. */
export type Pause = () => Promise<void> | undefined;
