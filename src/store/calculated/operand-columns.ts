import type { ParameterKey } from '../../domain/parameter-data.ts';
import type { ColumnValues } from '../../query/runs/rows-to-aggregate.ts';
import type { StoredRows } from '../../query/states/stored-rows.ts';
import type { RowBlock } from '../row-block.ts';

type Column = RowBlock['columns'][number];

/** Decodes columns of stored rows, those that expressions go by in memory that each block uses again. */
export class OperandColumns {
  readonly #parameters: readonly ParameterKey[];
  /** The columns that expressions go by, by their places. */
  readonly #operands: readonly number[];
  /** By place, the memory of an operand. */
  readonly #memory = new Map<number, Float64Array>();

  constructor(parameters: readonly ParameterKey[], operands: readonly number[]) {
    this.#parameters = parameters;
    this.#operands = operands;
  }

  /** The numeric operands; undefined in the place of all other columns. */
  operands({ columns, count }: StoredRows): RowBlock['columns'] {
    const found: Column[] = this.#parameters.map(() => undefined);
    for (const place of this.#operands) {
      const column = columns[place];
      if (column?.isNumeric !== true) continue;
      let own = this.#memory.get(place);
      if (own === undefined || own.length < count) {
        own = new Float64Array(count);
        this.#memory.set(place, own);
      }
      found[place] = this.named(column.decode(own), place);
    }
    return found;
  }

  /** The column at a place, in memory of its own. */
  copied({ columns, count }: StoredRows, place: number): Column {
    const decoded = columns[place]?.decode();
    if (decoded === undefined || 'ends' in decoded) return this.named(decoded, place);
    return this.named({ values: decoded.values.slice(0, count), present: decoded.present }, place);
  }

  /** Values as the column of the parameter at a place. */
  named(values: ColumnValues | undefined, place: number): Column {
    if (values === undefined) return undefined;
    const { kind, name } = this.#parameters[place]!;
    return (
      'ends' in values
        ? { kind, name, ...values }
        : { kind, name, values: values.values, present: values.present }
    ) as Column;
  }
}
