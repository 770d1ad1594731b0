/** Counts the turns of the event loop until a promise settles. */
export async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work.catch(() => undefined);
  isOver = true;
  return turns;
}
