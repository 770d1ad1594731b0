/**
 * What every answer says to browsers and to caches on its way, over HTTP and at the hub:
 *
 *   X-Content-Type-Options: nosniff   the media type is what is named; stored text never runs as a page
 *   Cache-Control: no-store           data and tokens are kept by nobody; files that anyone may have say otherwise
 */
export const guardingHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
} as const;

/** The same as lines of a head, each with its end. */
export const guardingLines = Object.entries(guardingHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');
