/**
 * What a node subscribes to at NATS: every pattern that its readers want, counted, and none that a wider one covers
 * already. The wider one is subscribed before the narrower go, and the reverse, so nothing is missed meanwhile; what
 * comes twice in that moment the receiver knows by its number.
 */
export interface Interest {
  add(pattern: string): void;
  remove(pattern: string): void;
  /** The patterns that are subscribed now. */
  subscribed(): Iterable<string>;
}

/** As much of the connection to NATS as the interest needs. */
export interface InterestConnection {
  subscribe(pattern: string): void;
  unsubscribe(pattern: string): void;
}

export function createInterest(nats: InterestConnection): Interest {
  const counts = new Map<string, number>();
  const subscribed = new Set<string>();

  const isCovered = (pattern: string): boolean => {
    for (const wider of widerThan(pattern)) if (counts.has(wider)) return true;
    return false;
  };

  const coveredBy = (pattern: string): string[] => {
    if (!pattern.includes('*')) return [];
    const steps = pattern.split('.');
    return [...counts.keys()].filter((other) => other !== pattern && covers(steps, other));
  };

  return {
    add(pattern) {
      const count = counts.get(pattern) ?? 0;
      counts.set(pattern, count + 1);
      if (count > 0 || isCovered(pattern)) return;
      subscribed.add(pattern);
      nats.subscribe(pattern);
      for (const narrower of coveredBy(pattern)) {
        if (subscribed.delete(narrower)) nats.unsubscribe(narrower);
      }
    },
    remove(pattern) {
      const count = counts.get(pattern);
      if (count === undefined) return;
      if (count > 1) {
        counts.set(pattern, count - 1);
        return;
      }
      counts.delete(pattern);
      if (!subscribed.delete(pattern)) return;
      for (const narrower of coveredBy(pattern)) {
        if (subscribed.has(narrower) || isCovered(narrower)) continue;
        subscribed.add(narrower);
        nats.subscribe(narrower);
      }
      nats.unsubscribe(pattern);
    },
    subscribed: () => subscribed,
  };
}

/** Every pattern with more wildcards in the place of this one's names: 15 at most, of four tokens. */
function* widerThan(pattern: string): Generator<string> {
  const steps = pattern.split('.');
  for (let chosen = 1; chosen < 1 << steps.length; chosen++) {
    const wider = steps.map((step, i) => ((chosen >> i) & 1 ? '*' : step)).join('.');
    if (wider !== pattern) yield wider;
  }
}

function covers(steps: readonly string[], other: string): boolean {
  const others = other.split('.');
  return steps.every((step, i) => step === '*' || step === others[i]);
}
