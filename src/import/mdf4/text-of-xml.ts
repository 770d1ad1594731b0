const element = /<TX(?:\s[^<>]*)?>([\s\S]*?)(?:<\/TX\s*>|$)/;
const piece = /<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)|<!--[\s\S]*?(?:-->|$)|<[^>]*(?:>|$)|&(#?\w+);/g;

const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** What stands in the first `<TX>` of a comment, with the characters that XML has other names for; to the end of what is cut off. */
export function textOfXml(xml: string): string {
  const text = element.exec(xml)?.[1] ?? '';
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
