/**
 * JSON over several lines with every token as it stands: what parses and prints again would round 64-bit integers.
 * It also runs in the page at `/docs`, which gets its source text, so it uses nothing from outside of itself.
 */
export function indentJson(text: string): string {
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[{\]},:]|\s+/g, (token) => {
    if (token.startsWith('"')) return token;
    if (/^\s/.test(token)) return '';
    if (/^[[{]\s*[\]}]$/.test(token)) return token[0]! + token.at(-1)!;
    if (token === ',') return `,${line()}`;
    if (token === ':') return ': ';
    if (token === '[' || token === '{') {
      depth++;
      return token + line();
    }
    depth = Math.max(0, depth - 1);
    return line() + token;
  });
}
