/**
 * Which place is nearest to another one; undefined where that one is neither between two places without a gap between them
 * nor within `reach` of a place. Places are in any order, NaN is none; `gaps` has 1 where a gap lies before a place.
 */
export function nearestPlace(
  places: ArrayLike<number>,
  gaps: Uint8Array,
  at: number,
  reach: number,
): number | undefined {
  let nearest: number | undefined;
  let distance = Number.POSITIVE_INFINITY;
  for (let i = 0; i < places.length; i++) {
    const own = Math.abs(places[i]! - at);
    if (!(own < distance)) continue;
    nearest = i;
    distance = own;
  }
  if (nearest === undefined) return undefined;
  const isMeant = distance <= reach || isBetween(nearest) || isBetween(nearest + 1);
  return isMeant ? nearest : undefined;

  /** Whether `at` is between a place and the one before, with no gap between them. */
  function isBetween(place: number): boolean {
    if (place < 1 || place >= places.length || gaps[place] === 1) return false;
    const [a, b] = [places[place - 1]!, places[place]!];
    return (a <= at && at <= b) || (b <= at && at <= a);
  }
}

/** The same, but the place before rather than a nearer one behind, where a line leads from there. */
export function placeBefore(
  places: ArrayLike<number>,
  gaps: Uint8Array,
  at: number,
  reach: number,
): number | undefined {
  const nearest = nearestPlace(places, gaps, at, reach);
  if (nearest === undefined || nearest < 1 || places[nearest]! <= at || gaps[nearest] === 1) return nearest;
  return places[nearest - 1]! <= at ? nearest - 1 : nearest;
}
