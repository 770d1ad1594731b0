/** Options over their defaults; what is undefined is left out. */
export function withDefaults<Defaults extends object, Options extends object>(
  defaults: Defaults,
  options: Options | undefined,
): Defaults & Options {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) } as Defaults & Options;
}
