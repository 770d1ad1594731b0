// The files of Swagger UI that the page at /docs loads (src/http/docs-page.ts), from the package that has them: dist/swagger-ui/.
// So that package, with all that it needs to serve them in its own way, is needed to build only.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const files = ['favicon-32x32.png', 'swagger-ui-bundle.js', 'swagger-ui.css'];
const from = dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json'));
const to = fileURLToPath(new URL('../dist/swagger-ui', import.meta.url));

rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
for (const file of files) copyFileSync(join(from, 'static', file), join(to, file));
const { name, version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
writeFileSync(
  join(to, 'LICENSES.txt'),
  `Swagger UI, Copyright SmartBear Software Inc. (Apache-2.0), as ${name} ${version} (MIT) has it:

${readFileSync(join(from, 'LICENSE'), 'utf8')}`,
);
