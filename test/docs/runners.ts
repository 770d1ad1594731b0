import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { browserMissing, launchBrowser } from '../e2e/browser.ts';
import { adminToken } from '../e2e/service.ts';
import { root } from '../root.ts';
import { checkJson } from './json-blocks.ts';
import type { Block } from './markdown.ts';
import type { Workshop } from './workshop.ts';

/** How the blocks of one language are run. */
export interface Runner {
  /** Whether the blocks of a page are one program. */
  readonly joined?: boolean;
  /** Rejects if the block fails; gives why it could not be run on this machine. */
  run(workshop: Workshop, blocks: readonly Block[]): Promise<string | undefined>;
}

/** Languages of blocks that show what a program prints or how something looks. */
export const shown: readonly string[] = ['', 'text'];

export const runners: Readonly<Record<string, Runner>> = {
  sh: {
    async run(workshop, [block]) {
      if (!existsSync('/usr/bin/curl')) return 'there is no curl';
      // The token is in the environment already.
      const text = workshop.placed(block!.text).replace(/^export PITWALL_TOKEN=.*$/m, '');
      const ended = await workshop.run('bash', ['-euo', 'pipefail', '-c', text]);
      assert.equal(ended.code, 0, `${ended.stdout}\n${ended.stderr}`);
      return undefined;
    },
  },
  json: {
    async run(workshop, [block]) {
      await checkJson(workshop.url, block!);
      return undefined;
    },
  },
  js: {
    async run(workshop, [block]) {
      const file = join(workshop.folder, `line-${block!.line}.mjs`);
      writeFileSync(file, workshop.placed(block!.text));
      const ended = await workshop.run(process.execPath, [file]);
      assert.equal(ended.code, 0, ended.stderr);
      return undefined;
    },
  },
  ts: {
    joined: true,
    async run(workshop, blocks) {
      const at = (name: string) => join(workshop.folder, name);
      writeFileSync(at('page.mts'), workshop.placed(blocks.map(({ text }) => text).join('\n')));
      writeFileSync(at('tsconfig.json'), JSON.stringify(strict));
      const compiled = await workshop.run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')]);
      assert.equal(compiled.code, 0, compiled.stdout);
      const ended = await workshop.run(process.execPath, [at('page.mjs')]);
      assert.equal(ended.code, 0, ended.stderr);
      return undefined;
    },
  },
  python: {
    joined: true,
    async run(workshop, blocks) {
      const program = workshop.placed(blocks.map(({ text }) => text).join('\n'));
      const modules = [...program.matchAll(/^(?:import|from) (\w.*?)(?: import .*)?$/gm)].flatMap(
        ([, names]) => names!.split(/\s*,\s*/),
      );
      for (const module of modules) {
        // Debian's own Python, which has Debian's packages. To import some takes as long as the program does.
        const found = await workshop
          .run('/usr/bin/python3', [
            '-c',
            `from importlib.util import find_spec; assert find_spec('${module}')`,
          ])
          .catch(() => undefined);
        if (found?.code !== 0) return `/usr/bin/python3 has no module ${module}`;
      }
      const ended = await workshop.run('/usr/bin/python3', ['-c', program]);
      assert.equal(ended.code, 0, ended.stderr);
      return undefined;
    },
  },
  sql: {
    async run(workshop, [block]) {
      const database = await (await DuckDBInstance.create()).connect();
      try {
        await database.run(`SET file_search_path = '${workshop.folder}'`);
        for (const statement of block!.text.split(';').filter((part) => part.trim() !== '')) {
          const rows = await (await database.run(statement)).getRows();
          assert.ok(rows.length > 0, statement);
        }
      } finally {
        database.closeSync();
      }
      return undefined;
    },
  },
  html: { run: openInBrowser },
};

const strict = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  },
  files: ['page.mts'],
};

/** Opens the page with the library from here, gives the token, and waits until something is written below `#rows`. */
async function openInBrowser(workshop: Workshop, [block]: readonly Block[]): Promise<string | undefined> {
  if (browserMissing !== false) return browserMissing;
  // Of the loopback network: browsers keep pages of other networks from it.
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(workshop.placed(block!.text));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const browser = await launchBrowser();
  try {
    const tab = await browser.newPage();
    const library = readFileSync(join(root, 'node_modules/@microsoft/signalr/dist/browser/signalr.min.js'));
    await tab.route(/^https:/, (route) => route.fulfill({ contentType: 'text/javascript', body: library }));
    tab.on('dialog', (dialog) => dialog.accept(adminToken));
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await tab.waitForFunction("document.querySelector('#rows').textContent !== ''");
  } finally {
    await browser.close();
    server.close();
  }
  return undefined;
}
