/** Lets one in at a time, in the order in which they came. */
export interface OneByOne {
  /** Resolves when it is the caller's turn, with what ends it; to end it again does nothing. */
  enter(): Promise<() => void>;
}

export function oneByOne(): OneByOne {
  const waiting: (() => void)[] = [];
  let isTaken = false;

  const turn = (): (() => void) => {
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const next = waiting.shift();
      if (next === undefined) isTaken = false;
      else next();
    };
  };

  return {
    async enter() {
      if (isTaken) await new Promise<void>((resolve) => waiting.push(resolve));
      isTaken = true;
      return turn();
    },
  };
}
