/** A list whose elements are made when they are asked for: a long column never stands in memory as objects. */
export class Sequence {
  /** How many elements it has; fewer, where some are undefined: those are not there. */
  readonly length: number;
  readonly #fill: (into: unknown[], from: number, to: number) => void;

  /** @param fill puts the elements `[from, to)` at `into[0]` and after; what it leaves out is null */
  constructor(length: number, fill: (into: unknown[], from: number, to: number) => void) {
    this.length = length;
    this.#fill = fill;
  }

  /** The elements `[from, to)`; `to` is the length at most. */
  slice(from: number, to: number): unknown[] {
    const elements = new Array<unknown>(to - from).fill(null);
    this.#fill(elements, from, to);
    return elements;
  }
}

/** An object whose members are made one after the other, when they are asked for. */
export class Members {
  /** What is undefined is no member: it is a stop after a fraction of a millisecond. */
  readonly each: () => Iterable<readonly [name: string, member: unknown] | undefined>;

  constructor(each: Members['each']) {
    this.each = each;
  }
}

/** Text that is the JSON of a value: numbers that JSON does not have are strings, integers have all their digits. */
export class JsonText {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}
