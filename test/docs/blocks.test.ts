import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../root.ts';
import { type Block, pages, readPage } from './markdown.ts';
import { type Runner, runners, shown } from './runners.ts';
import { keepWriting, openWorkshop } from './workshop.ts';

const blocksOf = (page: string) => readPage(page).blocks.filter(({ language }) => !shown.includes(language));
/** Those that readers paste. */
const pasted = pages.filter((page) => /^(README|docs\/|examples\/)/.test(page));

/** Languages whose blocks may wait for live data. */
const followers: readonly string[] = ['js', 'ts', 'html'];

describe('the words behind the language of a block', () => {
  it('are not-run, or say which request JSON is the body of', () => {
    const marked = pasted.flatMap((page) => readPage(page).blocks).filter(({ words }) => words.length > 0);
    assert.ok(marked.length > 0);
    for (const { page, line, language, words } of marked) {
      const isRequest = language === 'json' && /^(answer|[A-Z]+ \/\S+)$/.test(words.join(' '));
      assert.ok(isRequest || words.join(' ') === 'not-run', `${page}:${line}: ${words.join(' ')}`);
    }
  });
});

describe('a page', () => {
  it('does not speak of the tests that run its blocks', () => {
    for (const page of pasted) {
      assert.doesNotMatch(
        readFileSync(join(root, page), 'utf8'),
        /\b(tests?|blocks) of (this|these|the|all) pages?\b/,
      );
    }
  });
});

describe('a block that only shows something', () => {
  it('has no command in it', () => {
    for (const { page, line, language, text } of pasted.flatMap((page) => readPage(page).blocks)) {
      if (!shown.includes(language)) continue;
      assert.doesNotMatch(
        text,
        /^\s*(\$ |curl|npm|npx|pitwall|docker|node|import|from) /m,
        `${page}:${line}`,
      );
    }
  });
});

for (const page of pasted) {
  const blocks = blocksOf(page).filter((block) => !isMarked(block));
  if (blocks.length === 0) continue;
  describe(`the blocks of ${page}`, async () => {
    const workshop = await openWorkshop();
    if (blocks.some(({ language }) => followers.includes(language))) keepWriting(workshop.url);
    for (const [language, group] of groupsOf(blocks)) {
      const runner: Runner | undefined = runners[language];
      for (const together of runner?.joined ? [group] : group.map((block) => [block])) {
        it(`in ${language || 'no language'} run: line ${together.map(({ line }) => line).join(', ')}`, async (t) => {
          assert.ok(runner !== undefined, `blocks in '${language}' cannot be run: mark it with not-run`);
          const reason = await runner.run(workshop, together);
          if (reason !== undefined) t.skip(reason);
        });
      }
    }
  });
}

function isMarked({ words }: Block): boolean {
  return words.includes('not-run');
}

/** By language; those of the shell first, because they make the files that others read. */
function groupsOf(blocks: readonly Block[]): [string, Block[]][] {
  const groups = new Map<string, Block[]>([['sh', []]]);
  for (const block of blocks) groups.set(block.language, [...(groups.get(block.language) ?? []), block]);
  return [...groups].filter(([, group]) => group.length > 0);
}
