/** Returns the path of the calls of a topic. */
export function topicPath(topic: string): string {
  return `/topics/${pathStep('topic', topic)}`;
}

export function streamPath(topic: string, streamId: string): string {
  return `${topicPath(topic)}/streams/${pathStep('streamId', streamId)}`;
}

/** A name in a path. Throws a TypeError for what is none: `undefined` would be the name of a topic. */
export function pathStep(what: string, name: string): string {
  if (!['string', 'number', 'bigint'].includes(typeof name))
    throw new TypeError(`${what} is a string, not ${name === null ? 'null' : typeof name}`);
  if (!String(name).isWellFormed())
    throw new TypeError(`${what} has half of a character: a surrogate that stands alone`);
  return encodeURIComponent(name);
}
