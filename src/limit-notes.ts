/** The shortest time between two lines of one kind: an attack must not fill the log. */
const pauseMs = 60_000;

/**
 * Tells that a limit was met: the first time at once, then at most once a minute, with how many times since. Whoever
 * looks at the log sees when it began and that it goes on.
 *
 * @param now milliseconds, from any origin
 */
export function limitNotes(now: () => number, tell: (times: number) => void): () => void {
  let told = Number.NEGATIVE_INFINITY;
  let times = 0;
  return () => {
    times++;
    const time = now();
    if (time - told < pauseMs) return;
    told = time;
    tell(times);
    times = 0;
  };
}

/** Limits warnings that come with a text: a line has the latest one. */
export function limitTexts(
  now: () => number,
  tell: (times: number, text: string) => void,
): (text: string) => void {
  let latest = '';
  const note = limitNotes(now, (times) => tell(times, latest));
  return (text) => {
    latest = text;
    note();
  };
}
