type Fetch<Value> = (signal: AbortSignal) => Promise<Value>;

/** What the picture waits for. */
const underWay = new Set<AbortSignal>();
let waiting: (() => void)[] = [];

/** Lets go of those that wait, unless what has ended begins anew in the same turn. */
function goOn(): void {
  setTimeout(() => {
    if (underWay.size > 0) return;
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  });
}

/** A fetch that the picture waits for: it has the service and the page to itself. */
export function first<Value>(fetchValue: Fetch<Value>): Fetch<Value> {
  return (signal) => {
    underWay.add(signal);
    const end = () => {
      if (underWay.delete(signal)) goOn();
    };
    signal.addEventListener('abort', end);
    return fetchValue(signal).finally(end);
  };
}

/** A fetch that begins when nothing is under way that the picture waits for. */
export function afterwards<Value>(fetchValue: Fetch<Value>): Fetch<Value> {
  return async (signal) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      goOn();
    });
    signal.throwIfAborted();
    return fetchValue(signal);
  };
}
