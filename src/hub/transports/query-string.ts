/** The query of an address; names have no case, as with ASP.NET, and of a name that repeats the first counts. */
export function queryOf(url: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  const mark = url.indexOf('?');
  if (mark < 0) return query;
  for (const part of url.slice(mark + 1).split('&')) {
    const equals = part.indexOf('=');
    const name = decoded(equals < 0 ? part : part.slice(0, equals)).toLowerCase();
    if (name !== '' && !query.has(name)) query.set(name, equals < 0 ? '' : decoded(part.slice(equals + 1)));
  }
  return query;
}

/** A plus stays a plus: it stands in tokens that clients do not escape, and no value here has a blank. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
