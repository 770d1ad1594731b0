import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

/** A fenced block of a page. */
export interface Block {
  /** The page, relative to the root. */
  readonly page: string;
  /** Of its first fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** What stands behind the language, such as `not-run`. */
  readonly words: readonly string[];
  readonly text: string;
}

export interface Link {
  readonly page: string;
  readonly line: number;
  readonly target: string;
}

/** The pages that users read, relative to the root. */
export const pages: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'bench/README.md',
  'examples/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .sort(),
].filter((page) => existsSync(join(root, page)));

/** What stands in the prose of a page between backticks. */
export interface Code {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

interface Page {
  readonly blocks: readonly Block[];
  readonly links: readonly Link[];
  readonly code: readonly Code[];
  /** The fragments that links may name. */
  readonly anchors: ReadonlySet<string>;
}

/** Reads the parts of Markdown that the tests look at: fences, links and code in one line, headings with `#`. */
export function readPage(page: string): Page {
  const blocks: Block[] = [];
  const links: Link[] = [];
  const code: Code[] = [];
  const anchors = new Set<string>();
  let open: { line: number; info: string; indent: number; lines: string[] } | undefined;

  for (const [index, text] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    const line = index + 1;
    const fence = /^(\s*)```(.*)$/.exec(text);
    if (open !== undefined) {
      if (fence === null) {
        open.lines.push(text.slice(open.indent));
        continue;
      }
      const [language = '', ...words] = open.info.split(/\s+/);
      blocks.push({ page, line: open.line, language, words, text: open.lines.join('\n') });
      open = undefined;
      continue;
    }
    if (fence !== null) {
      open = { line, info: fence[2]!.trim(), indent: fence[1]!.length, lines: [] };
      continue;
    }
    const heading = /^#+ (.*)$/.exec(text);
    if (heading !== null) anchors.add(anchorOf(heading[1]!));
    for (const [, span] of text.matchAll(/`([^`]+)`/g)) code.push({ page, line, text: span! });
    const prose = text.replace(/`[^`]*`/g, '');
    for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) links.push({ page, line, target: target! });
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: the block has no end`);
  return { blocks, links, code, anchors };
}

/** As the usual viewers of Markdown make them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
