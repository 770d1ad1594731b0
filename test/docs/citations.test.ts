import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../root.ts';

/** Folders whose files cite documents in comments, messages and rules. */
const folders = ['src', 'test', 'web', 'bench', 'examples', 'scripts', 'packaging'];
const texts = /\.(ts|tsx|js|json|yaml|css|html|service|cfg)$/;

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => texts.test(file) && !/node_modules/.test(file))
    .map((file) => join(folder, file)),
);
const readText = (file: string) => readFileSync(join(root, file), 'utf8');

/** Documents of others, which are cited by their own names. */
const ofOthers: readonly string[] = ['HubProtocol.md', 'TransportProtocols.md'];

/** The sections of the contract, each with what it has in bold. */
const contract = new Map(
  readText('docs/api.md')
    .split(/^## (?=\d+\. )/m)
    .slice(1)
    .map((section) => {
      const items = [...section.matchAll(/\*\*([^*]+)\*\*/g)].map(([, item]) => item!);
      return [Number.parseInt(section, 10), items] as const;
    }),
);

describe('what source and tests cite', () => {
  it('are documents that exist', () => {
    let cited = 0;
    for (const file of files) {
      // What is a path or a name by itself; not the ending of one, nor a pattern.
      for (const [, name] of readText(file).matchAll(/(?<![\w./*$}-])((?:[\w-]+\/)*[\w-]+\.md)\b/g)) {
        if (ofOthers.includes(name!)) continue;
        const places = [join(root, name!), join(root, 'docs', name!), join(root, dirname(file), name!)];
        assert.ok(places.some(existsSync), `${file} cites ${name}, which does not exist`);
        cited++;
      }
    }
    assert.ok(cited > 300, `${cited} citations`);
  });

  it('are sections of the contract that exist, and what these have in bold', () => {
    let cited = 0;
    for (const file of files) {
      for (const [citation, section, item] of readText(file).matchAll(
        /§(\d+)(?:, ([A-Z][A-Za-z ]*[a-z]|lastUpdate))?/g,
      )) {
        const items = contract.get(Number(section));
        assert.ok(items !== undefined, `${file} cites ${citation}: docs/api.md has no such section`);
        if (item !== undefined) {
          const isThere = items.some((known) => known.startsWith(item) || item.startsWith(known));
          assert.ok(isThere, `${file} cites ${citation}: section ${section} has no ${item} in bold`);
        }
        cited++;
      }
      for (const [citation, numbers] of readText(file).matchAll(
        /[Cc]ontract, sections? ([\d, and]+\d|\d)/g,
      )) {
        for (const number of numbers!.match(/\d+/g) ?? []) {
          assert.ok(contract.has(Number(number)), `${file}: ${citation}: docs/api.md has no such section`);
        }
        cited++;
      }
    }
    assert.ok(cited > 300, `${cited} citations`);
  });
});
