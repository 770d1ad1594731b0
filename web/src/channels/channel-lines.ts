import type { ParameterEntry } from './parameter-entry.ts';

/** A line of the list: a location, or a channel. */
export type ChannelLine =
  | { readonly group: string }
  | { readonly group?: never; readonly entry: ParameterEntry; readonly isStarred: boolean };

/** Channels that have all words, in any order, by location; favourites stand first, and not again below. */
export function channelLines(
  entries: readonly ParameterEntry[],
  filter: string,
  favourites: readonly string[],
): ChannelLine[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matching = entries.filter(({ id, name, description, location, unit }) => {
    const text = `${id} ${name} ${description} ${location} ${unit}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const isStarred = ({ id }: ParameterEntry) => favourites.includes(id);
  const group = (name: string, members: readonly ParameterEntry[], starred: boolean): ChannelLine[] =>
    members.length === 0 ? [] : [{ group: name }, ...members.map((entry) => ({ entry, isStarred: starred }))];
  const others = new Map<string, ParameterEntry[]>();
  for (const entry of matching.filter((own) => !isStarred(own))) {
    const known = others.get(entry.location);
    if (known === undefined) others.set(entry.location, [entry]);
    else known.push(entry);
  }
  const starredOnes = matching.filter(isStarred);
  const atTop = others.get('/');
  // Where all are at the top, that is not worth a line.
  if (atTop !== undefined && others.size === 1 && starredOnes.length === 0)
    return atTop.map((entry) => ({ entry, isStarred: false }));
  return [
    ...group('Favourites', starredOnes, true),
    ...[...others].flatMap(([location, members]) => group(location, members, false)),
  ];
}
