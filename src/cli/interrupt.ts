/** Aborts when someone ends the command early, so that it can take back what it has half made; a second time it dies. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort(new Error('interrupted')));
  }
  return controller.signal;
}
