/** What is kept of lists, in bytes: beyond it they are made anew. */
const maxBytes = 16 * 1024 * 1024;

/** Of one list without its names, and of each name in an array or a set, as the engine has them. */
const listBytes = 160;
const elementBytes = 48;

/**
 * Lists of distinct names, each of them once: two that are equal are the same object. They are found name by name, from the
 * empty list on, and without a text where the same names follow one another as before.
 */
export class NameLists {
  #root = new NameList(this, undefined, '');
  #bytes = 0;

  empty(): NameList {
    return this.#root;
  }

  /** Lists that are in use stay as they are when others are forgotten. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= maxBytes) return;
    this.#bytes = 0;
    this.#root = new NameList(this, undefined, '');
  }
}

export class NameList {
  readonly length: number;
  readonly #lists: NameLists;
  readonly #before: NameList | undefined;
  readonly #name: string;
  /** The list with one more name that was asked for last, and others. */
  #nextName: string | undefined;
  #next: NameList | undefined;
  #others: Map<string, NameList> | undefined;
  #names: readonly string[] | undefined;
  /** The same names; one of the lists that begin alike has it at a time. */
  #set: Set<string> | undefined;

  constructor(lists: NameLists, before: NameList | undefined, name: string) {
    this.#lists = lists;
    this.#before = before;
    this.#name = name;
    this.length = before === undefined ? 0 : before.length + 1;
  }

  /** The names in their order; always the same array. */
  get names(): readonly string[] {
    if (this.#names === undefined) {
      this.#lists.count(8 * this.length);
      const names = new Array<string>(this.length);
      for (let list: NameList = this; list.#before !== undefined; list = list.#before)
        names[list.length - 1] = list.#name;
      this.#names = names;
    }
    return this.#names;
  }

  /** The list with one more name; undefined where it has that one. */
  with(name: string): NameList | undefined {
    if (name === this.#nextName) return this.#next;
    const found = this.#others?.get(name) ?? this.#make(name);
    if (found === undefined) return undefined;
    this.#nextName = name;
    this.#next = found;
    return found;
  }

  #make(name: string): NameList | undefined {
    if (this.#set === undefined) {
      this.#set = new Set(this.names);
      this.#lists.count(elementBytes * this.length);
    }
    if (this.#set.has(name)) return undefined;
    const made = new NameList(this.#lists, this, name);
    made.#set = this.#set.add(name);
    this.#set = undefined;
    this.#others ??= new Map();
    this.#others.set(name, made);
    this.#lists.count(listBytes + elementBytes + name.length);
    return made;
  }
}
