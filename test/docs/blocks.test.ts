import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Block, pages, readPage } from './markdown.ts';
import { type Runner, runners, shown } from './runners.ts';
import { keepWriting, openWorkshop } from './workshop.ts';

const blocksOf = (page: string) => readPage(page).blocks.filter(({ language }) => !shown.includes(language));
/** Those that readers paste. */
const pasted = pages.filter((page) => /^(README|docs\/|examples\/)/.test(page));

/** Languages whose blocks may wait for live data. */
const followers: readonly string[] = ['js', 'ts', 'html'];

describe('a block that is not run', () => {
  it('says so to the reader, in its section', () => {
    const marked = pasted.flatMap(blocksOf).filter(isMarked);
    assert.ok(marked.length > 0);
    for (const { page, line, section } of marked) {
      assert.match(section, /\bnot run\b/i, `${page}:${line}: the section must say "Not run"`);
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
