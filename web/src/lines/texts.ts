/** Texts that a parameter has had, each once. */
export interface Texts {
  readonly list: readonly string[];
  /** The place of each text in the list; null where there is none. */
  placesOf(column: readonly (string | null)[]): (number | null)[];
}

export function createTexts(): Texts {
  const list: string[] = [];
  const places = new Map<string, number>();
  const placeOf = (text: string): number => {
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, list.length);
    return list.push(text) - 1;
  };
  return { list, placesOf: (column) => column.map((text) => (text === null ? null : placeOf(text))) };
}
