/** The content codings in which files are kept, the smaller form first. */
export const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/**
 * The coding that an Accept-Encoding header prefers (RFC 9110, section 12.5.3); of equal quality the smaller form.
 * Undefined where the client takes none of them, or would rather have the bytes as they are.
 */
export function chooseCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  const qualities = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    qualities.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const qualityOf = (name: string) => qualities.get(name) ?? qualities.get('*') ?? 0;
  let best: Coding | undefined;
  let quality = qualities.get('identity') ?? 0;
  for (const coding of codings) {
    const own = qualityOf(coding);
    if (own === 0 || own < quality || (own === quality && best !== undefined)) continue;
    best = coding;
    quality = own;
  }
  return best;
}
