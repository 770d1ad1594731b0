/** Those who sent a record and wait until it is applied here, by its id. */
export class Waiters {
  readonly #waiting = new Map<
    string,
    { readonly resolve: (result: unknown) => void; readonly reject: (error: unknown) => void }
  >();

  /** Resolves with what applying the record gives, or rejects as it does. */
  wait(id: string): Promise<unknown> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Nothing where nobody waits, as for what other nodes sent. */
  resolve(id: string, result: unknown): void {
    this.#waiting.get(id)?.resolve(result);
    this.#waiting.delete(id);
  }

  reject(id: string, error: unknown): void {
    this.#waiting.get(id)?.reject(error);
    this.#waiting.delete(id);
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
