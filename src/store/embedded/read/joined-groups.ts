import { Kind } from '../../../domain/parameter-data.ts';
import type { TagSet } from '../../../domain/tags.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { ColumnEntry } from '../codecs/row-group-directory.ts';
import type { RowTags } from '../codecs/tags-codec.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { RowClock } from '../parts/row-clock.ts';
import type { PlacedGroup } from '../rows/row-group.ts';

import type { PartGroup } from '../walk/walk-parts.ts';

/** Where so many rows are joined no group is added to them. */
const manyRows = 1 << 15;

/**
 * Joins row groups of a stream that follow one another, as long as all their rows have the same tags and all columns, which are
 * of numbers. They are decoded to the same two memories by turns.
 */
export class JoinedGroups {
  readonly #parameters: ReadonlySet<number>;
  readonly #begin = RowClock.begin();
  #memory: Float64Array[] = [];
  /** That of the rows that were taken last. */
  #taken: Float64Array[] = [];
  #clock = this.#begin;
  #group: PartGroup | undefined;
  #tags: TagSet | undefined;
  #columns: readonly ColumnEntry[] = [];

  /** @param parameters numbers of those that are wanted */
  constructor(parameters: ReadonlySet<number>) {
    this.#parameters = parameters;
  }

  /** Adds the rows of a group that are wanted; false where they cannot stand behind the others, or not at all. */
  add(group: PartGroup, view: EncodedGroup, { tagSets, tagIndex }: RowTags): boolean {
    const columns = view.columns.filter(({ parameter }) => this.#parameters.has(parameter));
    if (columns.length === 0) return true;
    const [tags] = tagSets;
    if (tagIndex !== undefined || !columns.every(isFull)) return false;
    const { count } = this.#clock;
    if (count > 0 && !this.#isFollowedBy(group, tags!, columns)) return false;
    const clock = this.#clock.with(view, group.inside);
    if (clock.count === count) return true;
    if (count > 0 && clock.from > 0) return false;
    if (count === 0) {
      this.#group = group;
      this.#tags = tags;
      this.#columns = columns;
    }
    // Of the first group the rows before the wanted ones stand in the memory, too.
    const at = count === 0 ? 0 : this.#clock.end;
    for (let i = 0; i < columns.length; i++) view.values(columns[i]!, this.#room(i, at, view.handle.rows));
    this.#clock = clock;
    return true;
  }

  /** What was added, which holds until something else is taken; undefined where that is nothing. */
  take(): PlacedGroup | undefined {
    const { count, end } = this.#clock;
    if (count === 0) return undefined;
    const { window, handle } = this.#group!;
    const columns = this.#columns.map(({ parameter }, i) => {
      const values = this.#memory[i]!.subarray(end - count, end);
      return { parameter, kind: Kind.Numeric, values, present: undefined };
    });
    const axes = { offsets: this.#clock.offsets(), tagSets: [this.#tags!], tagIndex: undefined };
    this.#clock = this.#begin;
    [this.#memory, this.#taken] = [this.#taken, this.#memory];
    return { window, group: { stream: handle.stream, count, ...axes, columns } };
  }

  #isFollowedBy(group: PartGroup, tags: TagSet, columns: readonly ColumnEntry[]): boolean {
    const { isWhole, count } = this.#clock;
    return (
      isWhole &&
      count < manyRows &&
      group.window === this.#group!.window &&
      tags.key === this.#tags!.key &&
      columns.length === this.#columns.length &&
      columns.every(({ parameter }, i) => parameter === this.#columns[i]!.parameter)
    );
  }

  /** Memory of a column for so many rows from a place on. */
  #room(column: number, at: number, rows: number): Float64Array {
    const known = this.#memory[column];
    if (known !== undefined && known.length >= at + rows) return at === 0 ? known : known.subarray(at);
    const wider = new Float64Array(Math.max(at + rows, 2 * (known?.length ?? 0)));
    if (known !== undefined) wider.set(known.subarray(0, at));
    this.#memory[column] = wider;
    return wider.subarray(at);
  }
}

function isFull({ kind, presenceForm }: ColumnEntry): boolean {
  return kind === Kind.Numeric && presenceForm === PresenceForm.All;
}
