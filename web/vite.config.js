import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// biome-ignore lint/style/noDefaultExport: what the bundler looks for
export default defineConfig({
  root: here('.'),
  base: './',
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // The service's Content-Security-Policy allows files of its own only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
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
