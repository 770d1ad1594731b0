import { readFileSync } from 'node:fs';
import { PitwallError } from '../errors.ts';
import { indentJson } from './indent-json.ts';
import type { Route } from './route.ts';
import { type AnswerFile, staticFile } from './static-file.ts';

/**
 * A page at `/docs` to try the calls: Swagger UI over `/openapi.json` of the same address, everything from here, so
 * that it works without the internet. The token stays in the page's memory.
 */
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pitwall: the calls</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`;

/** Answers are shown digit by digit: Swagger UI parses JSON into doubles, so it is told that they are plain text. */
const script = `const indentJson = ${indentJson.toString()};
const exactDigits = {
  wrapComponents: {
    responseBody: (Original, { React }) => (props) => {
      const isJson = /json/i.test(props.contentType ?? '') && typeof props.content === 'string';
      const shown = isJson ? { contentType: 'text/plain', content: indentJson(props.content) } : {};
      return React.createElement(Original, { ...props, ...shown });
    },
  },
};
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#page',
  deepLinking: true,
  layout: 'BaseLayout',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [() => exactDigits],
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
});
`;

/** Scripts and calls to this address only; Swagger UI has images in its style sheet, and styles in its elements. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

/** Files of Swagger UI, by their names there (scripts/copy-swagger-ui.js). */
const types: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/** The page, and what it loads. Files are read when someone first asks for them. */
export function docsPage(): Route[] {
  const files = new Map<string, AnswerFile>();
  const fileOf = (name: string): AnswerFile => {
    const file = files.get(name) ?? readPageFile(name);
    files.set(name, file);
    return file;
  };
  const shared = {
    method: 'GET',
    interface: 'service',
    scope: undefined,
    unlisted: true,
    incompressible: true,
  } as const;
  return [
    {
      ...shared,
      path: '/docs',
      summary: 'A page to try the calls',
      handle: (call) => fileOf('page.html')(call),
    },
    {
      ...shared,
      path: '/docs/:file',
      summary: 'What the page loads',
      handle: (call) => fileOf(call.params['file']!)(call),
    },
  ];
}

function readPageFile(name: string): AnswerFile {
  if (name === 'page.html') return pageFile('text/html; charset=utf-8', Buffer.from(html));
  if (name === 'page.js') return pageFile('text/javascript; charset=utf-8', Buffer.from(script));
  const type = types.get(name);
  if (type === undefined) throw new PitwallError('not_found', { detail: `there is no file ${name}` });
  return pageFile(type, readFileSync(new URL(`../swagger-ui/${name}`, import.meta.url)));
}

function pageFile(type: string, bytes: Buffer): AnswerFile {
  return staticFile({ type, bytes, headers });
}
