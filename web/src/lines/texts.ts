/** Texts that a parameter has had, each once. */
export interface Texts {
  /** Texts that come later are added to it; `keep` makes another one. */
  readonly list: readonly string[];
  /** The place of each text in the list; null where there is none. */
  placesOf(column: readonly (string | null)[]): (number | null)[];
  /** Lets go of the texts whose places these are not, and puts the places of the others in the new list into `places`. */
  keep(places: Float64Array): void;
}

export function createTexts(): Texts {
  let list: string[] = [];
  let known = new Map<string, number>();
  const placeOf = (text: string): number => {
    const place = known.get(text);
    if (place !== undefined) return place;
    known.set(text, list.length);
    return list.push(text) - 1;
  };
  return {
    get list() {
      return list;
    },
    placesOf: (column) => column.map((text) => (text === null ? null : placeOf(text))),
    keep(places) {
      const before = list;
      list = [];
      known = new Map();
      for (const [i, place] of places.entries()) places[i] = placeOf(before[place]!);
    },
  };
}
