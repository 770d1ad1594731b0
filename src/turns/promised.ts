/** A promise and what resolves it. `Promise.withResolvers` gives the same from Node.js 22 on. */
export function promised(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
