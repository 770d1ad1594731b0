/** The value of a key of a map; where it has none, one that is made and stays there. */
export function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Remembers answers: each is asked for once. */
export function remembered<Name, Answer>(ask: (name: Name) => Answer): (name: Name) => Answer {
  const known = new Map<Name, Answer>();
  return (name) => entryOf(known, name, () => ask(name));
}
