const element = /<TX(?:\s[^<>]*)?>([\s\S]*?)(?:<\/TX\s*>|$)/;
const piece = /<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)|<!--[\s\S]*?(?:-->|$)|<[^>]*(?:>|$)|&(#?\w+);/g;

const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Returns the text of the first `<TX>` of a comment, with the characters that XML has other names for; to the end of
 * what is cut off.
 */
export function textOfXml(xml: string): string {
  return plain(element.exec(xml)?.[1] ?? '');
}

interface Properties {
  readonly properties: readonly (readonly [name: string, value: string])[];
  /** How many there are besides. */
  readonly more: number;
}

export const noProperties: Properties = { properties: [], more: 0 };

/** Names and values of the properties `<e name="author">…</e>` of a comment, those with a value. */
export function propertiesOfXml(xml: string): Properties {
  const properties: [string, string][] = [];
  let more = 0;
  for (const { 1: attributes, index, 0: start } of xml.matchAll(/<e\s([^<>]*)>/g)) {
    const name = /\bname\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(attributes!);
    const from = index + start.length;
    const end = xml.indexOf('</e', from);
    if (name === null || attributes!.endsWith('/') || end < 0) continue;
    const value = plain(xml.slice(from, end)).trim();
    if (value === '') continue;
    if (properties.length === mostProperties) more++;
    else properties.push([plain(name[1] ?? name[2]!).trim(), value]);
  }
  return { properties, more };
}

const mostProperties = 100;

function plain(text: string): string {
  return text.replace(piece, (mark: string, kept: string | undefined, entity: string | undefined) => {
    if (entity === undefined) return kept ?? '';
    return named.get(entity) ?? characterOf(entity) ?? mark;
  });
}

/** Of `#233` and `#xe9`. */
function characterOf(entity: string): string | undefined {
  const match = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(entity);
  if (match === null) return undefined;
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
