/** What was opened, one after another, and is closed in reverse. */
export interface Closing {
  add(close: () => void | Promise<void>): void;
  /** Closes all that was added, the last one first. Rejects where one of them does; those before it stay open. */
  close(): Promise<void>;
}

export function closing(): Closing {
  const steps: (() => void | Promise<void>)[] = [];
  return {
    add(close) {
      steps.push(close);
    },
    async close() {
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step();
    },
  };
}
