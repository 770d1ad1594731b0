/** Calls a listener of the caller's. A fault of it is told as such, and is none of the call that had something to tell. */
export function tell<Told extends unknown[]>(
  listener: ((...told: Told) => void) | undefined,
  ...told: Told
): void {
  try {
    listener?.(...told);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
