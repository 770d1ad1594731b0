import { type CellForm, isNone, type MetCell } from './met-values.ts';

/** The most sets that are told apart. */
const mostSets = 1 << 15;

/** Which channels rows have values of, as numbers: most rows of a file have values of the same ones. */
export class ChannelSets {
  private readonly form: CellForm;
  private readonly numbers = new Map<string, number>();
  private readonly sets: Uint8Array[] = [];
  private last: Uint8Array | undefined;
  private lastNumber = 0;

  constructor(form: CellForm) {
    this.form = form;
  }

  /** Of a row; undefined where there are too many. */
  of(cells: readonly MetCell[]): number | undefined {
    const { channels } = this.form;
    const { last } = this;
    const hasSame =
      last !== undefined && channels.every((at, i) => (last[i] === 1) === !isNone(cells[at], this.form));
    if (hasSame) return this.lastNumber;
    return this.numberOf(Uint8Array.from(channels, (at) => (isNone(cells[at], this.form) ? 0 : 1)));
  }

  /** Whether a row that has the set has a value of a channel, by its place among them. */
  has(set: number, channel: number): boolean {
    return this.sets[set]![channel] === 1;
  }

  union(one: number, other: number): number | undefined {
    if (one === other) return one;
    return this.numberOf(this.sets[one]!.map((bit, i) => bit | this.sets[other]![i]!));
  }

  private numberOf(set: Uint8Array): number | undefined {
    const key = set.join('');
    let number = this.numbers.get(key);
    if (number === undefined) {
      if (this.sets.length === mostSets) return undefined;
      number = this.sets.length;
      this.numbers.set(key, number);
      this.sets.push(set);
    }
    this.last = this.sets[number]!;
    this.lastNumber = number;
    return number;
  }
}
