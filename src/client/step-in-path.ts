/**
 * What is wrong with an address that has a name of one dot or two, however it is written; undefined for others. A URL takes
 * it for a step in its path, so the request would be about something else.
 */
export function stepInPath(path: string): string | undefined {
  const step = /\/(\.\.?)(?=[/?]|$)/.exec(path)?.[1];
  return step && `the name '${step}' cannot stand in an address: a URL takes it for a step in its path`;
}
