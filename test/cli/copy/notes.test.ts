import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CommandError } from '../../../src/cli/command.ts';
import { CopyNotes } from '../../../src/cli/copy/notes.ts';
import { smallDisk } from '../../e2e/faulty-disk.ts';
import { temporaryFolder } from '../../e2e/service.ts';

const open = (path: string) => new CopyNotes(path, 'http://a', 'http://b');
const head = '{"copy":1,"from":"http://a","to":"http://b"}\n';
const name = { workspace: 'default', topic: 'cars', streamId: 'lap-7' };

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof CommandError, `a stack would be shown: ${error}`);
    return error.message;
  }
  return 'none';
}

describe('the notes of a copy', () => {
  const folder = temporaryFolder();

  it('are refused in one line where they cannot be', () => {
    assert.equal(
      refusal(() => open(folder)),
      `${folder} is no file; give another --notes FILE`,
    );
    const nowhere = join(folder, 'none', 'notes');
    assert.match(
      refusal(() => open(nowhere)),
      /^the notes .*notes cannot be written: ENOENT/,
    );
    const other = join(folder, 'other');
    writeFileSync(other, 'Speed');
    assert.match(
      refusal(() => open(other)),
      /has no notes of a copy/,
    );
  });

  it('begin anew in an empty file, and where their first line was not finished', () => {
    for (const left of ['', head.slice(0, 5), head.slice(0, -1)]) {
      const path = join(folder, `of ${left.length}`);
      writeFileSync(path, left);
      const notes = open(path);
      notes.streamIsCopied(name, 'then');
      notes.close();
      assert.equal(readFileSync(path, 'utf8').slice(0, head.length), head, left);
      const again = open(path);
      assert.ok(again.isCopied(name, 'then'));
      again.close();
    }
  });

  it('say so where the disk is full, and go on when there is room', (t) => {
    const disk = smallDisk(1);
    if (disk === undefined) return t.skip('this user may not mount a small disk');
    try {
      const path = join(disk.path, 'notes');
      const notes = open(path);
      notes.streamIsCopied(name, 'then');
      writeFileSync(join(disk.path, 'others'), new Uint8Array((1 << 20) - 4096));
      const fill = () => {
        for (let i = 0; i < 1000; i++) notes.streamIsCopied({ ...name, streamId: `lap ${i}` }, 'then');
      };
      assert.match(refusal(fill), /^the notes .*notes cannot be written: ENOSPC/);
      notes.close();
      writeFileSync(join(disk.path, 'others'), '');
      const again = open(path);
      assert.ok(again.isCopied(name, 'then'));
      again.streamIsCopied(name, 'now');
      again.close();
      const last = open(path);
      assert.ok(last.isCopied(name, 'now'));
      last.close();
    } finally {
      disk.remove();
    }
  });
});
