import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Route } from '../route.ts';
import { staticFile } from '../static-file.ts';

/** The media types of what the explorer is built to. */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The page may load files of this service and speak to it, and nothing else.
 * @param scripts hashes of those that stand in the page itself
 */
const securityPolicy = (scripts: readonly string[]) =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    // A film of one's own, which the page plays.
    'media-src blob:',
    "connect-src 'self' ws: wss:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Of the scripts that stand in a page, as its policy names them. */
function scriptHashes(page: string): string[] {
  return [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`,
  );
}

/**
 * The explorer at `/`, and the files that it is built of, which are read once. Files below `assets/` have a hash in
 * their names and never change. Nothing is served where it was not built.
 */
export function explorer(folder: string): Route[] {
  if (!existsSync(join(folder, 'index.html'))) return [];
  const files = namesIn(folder).filter((name) => types[extname(name)] !== undefined);
  return files.map((name) => file(name === 'index.html' ? '/' : `/${name}`, join(folder, name)));
}

/** Files in the folder and its folders, with `/` between the names. */
function namesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? namesIn(join(folder, entry.name)).map((name) => `${entry.name}/${name}`)
      : [entry.name],
  );
}

function file(path: string, source: string): Route {
  const bytes = readFileSync(source);
  const scripts = path === '/' ? scriptHashes(bytes.toString()) : [];
  return {
    method: 'GET',
    path,
    interface: 'explorer',
    scope: undefined,
    summary: 'The explorer',
    incompressible: true,
    handle: staticFile({
      bytes,
      type: types[extname(source)]!,
      headers: {
        'Content-Security-Policy': securityPolicy(scripts),
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    }),
  };
}
