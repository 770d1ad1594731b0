/**
 * The stream of several labels, or attributes: their values with slashes between them. One that the series has not leaves its place empty, but
 * at the end; a slash in a value is `%2F`, but in that of the last label. So no two series have one stream by chance.
 *
 * @param values aligned with the labels
 */
export function streamOfValues(values: readonly (string | undefined)[], labels: number): string {
  const parts = Array.from({ length: labels }, (_, i) => {
    const value = values[i] ?? '';
    return i === labels - 1 ? value : value.replaceAll(/\/|%(?=2F|25)/g, (found) => codes[found]!);
  });
  return parts.slice(0, parts.findLastIndex((part) => part !== '') + 1).join('/');
}

const codes: Readonly<Record<string, string>> = { '/': '%2F', '%': '%25' };

/** The way back: the values of so many labels; an empty one is none. */
export function valuesOfStream(streamId: string, labels: number): string[] {
  const parts = streamId.split('/');
  return Array.from({ length: labels }, (_, i) => {
    if (i === labels - 1) return parts.slice(i).join('/');
    return (parts[i] ?? '').replaceAll(/%(2F|25)/g, (_code, of) => (of === '2F' ? '/' : '%'));
  });
}
