/** The number of items, and of looks, up to which a map costs more than it saves. */
const few = 16;

/**
 * Finds what belongs to a parameter: a column of a row group, say. A stream may have tens of thousands of them: to go through
 * all of these for each would take seconds.
 */
export function parameterFinder<Item extends { readonly parameter: number }>(
  items: readonly Item[],
): (parameter: number | undefined) => Item | undefined {
  let byParameter: Map<number | undefined, Item> | undefined;
  let looks = 0;
  return (wanted) => {
    if (byParameter !== undefined) return byParameter.get(wanted);
    if (items.length > few && looks++ === few) {
      byParameter = new Map(items.map((item) => [item.parameter, item]));
      return byParameter.get(wanted);
    }
    for (const item of items) if (item.parameter === wanted) return item;
    return undefined;
  };
}
