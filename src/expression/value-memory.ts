/** Memory for the values that an evaluator makes. */
export interface ValueMemory {
  /** Memory for the values of one step of an expression, of as many rows as are asked for. */
  output(): (count: number) => Float64Array;
  /** Makes arrays that are filled with one value. */
  constant(value: number): (count: number) => Float64Array;
}

/** Of one evaluator: it grows to the largest block. */
export const ownMemory: ValueMemory = {
  output() {
    let values = new Float64Array(0);
    return (count) => {
      if (values.length < count) values = new Float64Array(count);
      return values;
    };
  },
  constant(value) {
    let values = new Float64Array(0);
    return (count) => {
      if (values.length < count) values = new Float64Array(count).fill(value);
      return values;
    };
  },
};

/**
 * Memory that evaluators have in turn: what one has made is gone when another one begins. Gives a memory for each of them,
 * so that a thousand evaluators have no more than one.
 */
export function memoryInTurn(): () => ValueMemory {
  const pool: Float64Array[] = [];
  const take = (place: number, count: number): Float64Array => {
    const known = pool[place];
    if (known !== undefined && known.length >= count) return known;
    const values = new Float64Array(Math.max(count, leastValues));
    pool[place] = values;
    return values;
  };
  return () => {
    let places = 0;
    return {
      output() {
        const place = places++;
        return (count) => take(place, count);
      },
      constant(value) {
        const place = places++;
        return (count) => take(place, count).fill(value, 0, count);
      },
    };
  };
}

const leastValues = 1024;
