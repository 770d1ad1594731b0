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

/** The page may load files of this service and speak to it, and nothing else. */
const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
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

const pageHeaders = {
  'Content-Security-Policy': securityPolicy,
  'Referrer-Policy': 'no-referrer',
};

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
  return {
    method: 'GET',
    path,
    interface: 'explorer',
    scope: undefined,
    summary: 'The explorer',
    incompressible: true,
    handle: staticFile({
      bytes: readFileSync(source),
      type: types[extname(source)]!,
      headers: {
        ...pageHeaders,
        'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    }),
  };
}
