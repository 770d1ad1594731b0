type Fetch<Value> = (signal: AbortSignal) => Promise<Value>;

/** What the picture waits for. */
const underWay = new Set<AbortSignal>();
let waiting: (() => void)[] = [];

/** Lets go of those that wait when what has come is drawn, unless what has ended begins anew. */
function goOn(): void {
  whenDrawn(() => {
    if (underWay.size > 0) return;
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  });
}

/** Undefined outside of browsers. */
const { requestAnimationFrame: onFrame } = globalThis as {
  requestAnimationFrame?: (go: () => void) => unknown;
};

/** A page that is not seen has no frames: it does not wait longer than this, ms. */
const longestFrame = 100;

/** Calls `go` with the next frame. */
export function atFrame(go: () => void): void {
  if (onFrame === undefined) {
    setTimeout(go);
    return;
  }
  let isDone = false;
  const end = () => {
    if (!isDone) go();
    isDone = true;
  };
  const timer = setTimeout(end, longestFrame);
  onFrame(() => {
    clearTimeout(timer);
    end();
  });
}

/** Calls `go` behind the next frame. */
function whenDrawn(go: () => void): void {
  // The frame itself comes behind what is called for it.
  atFrame(() => setTimeout(go));
}

/** A fetch that the picture waits for: it has the service and the page to itself. */
export function first<Value>(fetchValue: Fetch<Value>): Fetch<Value> {
  return async (signal) => {
    underWay.add(signal);
    const end = () => {
      if (underWay.delete(signal)) goOn();
    };
    signal.addEventListener('abort', end);
    try {
      return await fetchValue(signal);
    } finally {
      end();
    }
  };
}

/** Tells when nothing is under way that the picture waits for, and it is drawn. */
export function rest(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    goOn();
  });
}

/** The same, or that the picture takes so long that nobody waits for it, ms. */
const patienceMs = 600;

export function restOrLong(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    rest().then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A fetch that begins when nothing is under way that the picture waits for. */
export function afterwards<Value>(fetchValue: Fetch<Value>, ready = rest): Fetch<Value> {
  return async (signal) => {
    await ready();
    signal.throwIfAborted();
    return fetchValue(signal);
  };
}

/** The same for what is wanted beside a picture that takes long. */
export function soon<Value>(fetchValue: Fetch<Value>): Fetch<Value> {
  return afterwards(fetchValue, restOrLong);
}
