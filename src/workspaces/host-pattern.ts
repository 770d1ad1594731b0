import { ConfigError } from '../setting.ts';

/** The workspace that a Host header names, or undefined where it names none. */
export type WorkspaceOfHost = (host: string | undefined) => string | undefined;

const placeholder = /\{(\w+)\}/;

/**
 * Reads workspaces from addresses by a pattern such as `{service}-{organisation}-{workspace}.{domain}`.
 * A service and an organisation are one word without a hyphen; the workspace is the rest, hyphens included, so
 * an address has one reading only. A port is left aside and case does not matter.
 * Throws a ConfigError if the pattern holds another word in braces.
 */
export function workspaceOfHost(pattern: string | undefined, domain: string | undefined): WorkspaceOfHost {
  if (pattern === undefined) return () => undefined;
  const words = new Map([
    ['service', '[^.-]+'],
    ['organisation', '[^.-]+'],
    ['workspace', '([^.]+)'],
    ['domain', literally(domain ?? '')],
  ]);
  let source = '';
  pattern.split(placeholder).forEach((part, i) => {
    const isWord = i % 2 === 1;
    const piece = isWord ? words.get(part) : literally(part);
    if (piece === undefined) {
      throw new ConfigError(
        `--host-pattern knows {service}, {organisation}, {workspace} and {domain}, not {${part}}`,
      );
    }
    source += piece;
  });
  const expression = new RegExp(`^${source}(?::\\d+)?$`, 'i');
  return (host) => (host === undefined ? undefined : expression.exec(host)?.[1]?.toLowerCase());
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
