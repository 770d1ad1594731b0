import type { CachedIndex, IndexBudget } from './cached-index.ts';
import { indexBytes, type PartIndex } from './part-index.ts';

/** Holds the index of a part once it was read, for as long as a budget allows it. */
export class IndexHolder {
  readonly #read: () => Promise<PartIndex>;
  /** Decides how long the index is held; without it that is for good. */
  readonly #budget: IndexBudget | undefined;
  #held: CachedIndex | undefined;
  /** The reading of an index that will be held. */
  #loading: Promise<CachedIndex> | undefined;

  constructor(read: () => Promise<PartIndex>, budget: IndexBudget | undefined) {
    this.#read = read;
    this.#budget = budget;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  async get(): Promise<PartIndex> {
    if (this.#held === undefined) return (await this.#load()).index;
    this.#held.used = true;
    return this.#held.index;
  }

  /** The index, which is held only if it is already, or will be. */
  async read(): Promise<PartIndex> {
    return this.#held?.index ?? (await this.#loading)?.index ?? this.#read();
  }

  /** The index, which is held until it is unpinned; a promise where it has to be read. */
  pin(): CachedIndex | Promise<CachedIndex> {
    return this.#held === undefined ? this.#load().then((kept) => this.#pin(kept)) : this.#pin(this.#held);
  }

  unpin(kept: CachedIndex): void {
    this.#budget?.unpin(kept);
  }

  drop(): void {
    if (this.#held !== undefined) this.#budget?.remove(this.#held);
    this.#held = undefined;
  }

  #pin(kept: CachedIndex): CachedIndex {
    this.#held ??= kept;
    this.#budget?.pin(kept);
    return kept;
  }

  #load(): Promise<CachedIndex> {
    this.#loading ??= this.#read()
      .then((index) => this.#hold(index))
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }

  #hold(index: PartIndex): CachedIndex {
    const kept: CachedIndex = {
      index,
      bytes: indexBytes(index),
      used: false,
      pins: 0,
      letGo: () => {
        if (this.#held === kept) this.#held = undefined;
      },
    };
    this.#held = kept;
    index.runs.columnSets.watch((bytes) => this.#budget?.grow(kept, bytes));
    this.#budget?.add(kept);
    return kept;
  }
}
