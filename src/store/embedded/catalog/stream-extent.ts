/** Smallest and largest time of a stream's rows (ns, both inclusive) and the parameters that have values. */
export interface StreamExtent {
  /** The first and the last time; meaningless while the extent is empty. */
  first: bigint;
  last: bigint;
  isEmpty: boolean;
  /** Numbers. */
  readonly parameters: Set<number>;
}

export function emptyExtent(): StreamExtent {
  return { first: 0n, last: 0n, isEmpty: true, parameters: new Set() };
}

export function extend(
  extent: StreamExtent,
  first: bigint,
  last: bigint,
  parameters: Iterable<number>,
): void {
  if (extent.isEmpty || first < extent.first) extent.first = first;
  if (extent.isEmpty || last > extent.last) extent.last = last;
  extent.isEmpty = false;
  for (const parameter of parameters) extent.parameters.add(parameter);
}
