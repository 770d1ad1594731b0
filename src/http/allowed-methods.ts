import type { Route } from './route.ts';

/** What requests to an address may be, beside OPTIONS; undefined where there is nothing. */
export function allowedMethods(routes: readonly Route[], target: string): readonly string[] | undefined {
  const path = decodeURI(pathOf(target));
  const methods = routes.filter((route) => patternOf(route).test(path)).map(({ method }) => method);
  if (methods.length === 0) return undefined;
  return methods.includes('GET') ? ['HEAD', ...methods] : methods;
}

/**
 * The path by which the framework finds a route, before it decodes that but for what would part it otherwise: of a target
 * with scheme and host, without query and fragment.
 */
export function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0]!;
}

/** With a slash at the end too, where clients of another service may send one (server.ts). */
function patternOf({ path, dialect }: Route): RegExp {
  const end = dialect === undefined ? '$' : '/?$';
  const pattern = path.replace(/:[A-Za-z]+|[.*]/g, (part) => patterns[part] ?? '[^/]*');
  return new RegExp(`^${pattern}${end}`);
}

const patterns: Readonly<Record<string, string>> = { '.': '\\.', '*': '.*' };
