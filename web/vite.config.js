import { fileURLToPath } from 'node:url';
import { build, defineConfig } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The rest of the page comes at the same time as the part that asks for it. */
const preloadPage = {
  name: 'preload-page',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle }) {
      const page = Object.values(bundle ?? {}).find(({ moduleIds }) =>
        moduleIds?.includes(here('src/page.tsx')),
      );
      const files = page === undefined ? [] : [page.fileName, ...page.imports];
      return files
        .filter((file) => !bundle[file].isEntry)
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` },
          injectTo: 'head',
        }));
    },
  },
};

/** What the page asks for at first is asked by a script that stands in it. */
const askEarly = {
  name: 'ask-early',
  transformIndexHtml: {
    order: 'post',
    async handler(html, { bundle }) {
      if (bundle === undefined) return html;
      const [{ output }] = await build({
        configFile: false,
        logLevel: 'warn',
        build: {
          write: false,
          target: 'es2022',
          lib: { entry: here('src/early.ts'), formats: ['iife'], name: 'early' },
        },
      });
      // Before the styles, which scripts behind them wait for.
      return html.replace('<title>', () => `<script>${output[0].code.trim()}</script>\n    <title>`);
    },
  },
};

/** What uPlot makes when it is loaded, and nothing here asks for: it takes longer than to draw several plots. */
const madeEarly = [
  [
    "const numFormatter = new Intl.NumberFormat(domEnv ? nav.language : 'en-US');\nconst fmtNum = val => numFormatter.",
    "let numFormatter;\nconst fmtNum = val => (numFormatter ??= new Intl.NumberFormat(domEnv ? nav.language : 'en-US')).",
  ],
  ['const localTz = new Intl.DateTimeFormat().resolvedOptions().timeZone;', 'let localTz;'],
  ['tz == localTz', 'tz == (localTz ??= new Intl.DateTimeFormat().resolvedOptions().timeZone)'],
];

/** Makes it when somebody asks. */
const makeLate = {
  name: 'make-late',
  transform(code, id) {
    if (!id.includes('/uplot/dist/uPlot.esm.js')) return undefined;
    return madeEarly.reduce((text, [early, late]) => {
      if (!text.includes(early)) throw new Error(`uPlot has no more: ${early}`);
      return text.replace(early, late);
    }, code);
  },
};

/** The modules that one names, with those it names. */
function modulesOf(id, context, found = new Set()) {
  if (found.has(id)) return found;
  found.add(id);
  for (const next of context.getModuleInfo(id)?.importedIds ?? []) modulesOf(next, context, found);
  return found;
}

/** The rest of the page is one file, also what it shares with what comes later: a browser fetches six at once. */
function restOf(id, context) {
  const [first, page] = [here('src/main.ts'), here('src/page.tsx')].map((own) => modulesOf(own, context));
  return page.has(id) && !first.has(id) ? 'page' : null;
}

// biome-ignore lint/style/noDefaultExport: what the bundler looks for
export default defineConfig({
  root: here('.'),
  base: './',
  plugins: [preloadPage, askEarly, makeLate],
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // The service's Content-Security-Policy allows files of its own only.
    assetsInlineLimit: 0,
    // One file, which stands in the page: nothing waits for styles of its own.
    cssCodeSplit: false,
    // The page names what it needs at once; what comes later is loaded when the page is at rest.
    modulePreload: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ debugName: 'page', name: restOf }],
          includeDependenciesRecursively: false,
        },
      },
    },
  },
  // `npm run dev:web`: the page from here, everything else from a service that runs beside it.
  server: {
    proxy: Object.fromEntries(
      [
        '/streams',
        '/parameters',
        '/events',
        '/topics',
        '/tags',
        '/views',
        '/hub',
        '/admin',
        '/openapi.json',
        '/docs',
      ].map((path) => [path, { target: process.env.PITWALL_URL ?? 'http://127.0.0.1:8480', ws: true }]),
    ),
  },
});
