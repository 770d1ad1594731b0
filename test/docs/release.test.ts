import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../e2e/service.ts';
import { root } from '../root.ts';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(GIT_|PITWALL_|npm_)/.test(name)),
);

/** A small package in a repository of its own, with the script of the house. */
function repository() {
  const folder = temporaryFolder();
  const write = (file: string, text: string): void => {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const run = (command: string, ...args: readonly string[]) =>
    spawnSync(command, args, { cwd: folder, encoding: 'utf8', env });
  const git = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = run(
      'git',
      '-c',
      'user.name=T',
      '-c',
      'user.email=t@t.example',
      ...args,
    );
    assert.equal(status, 0, stderr);
    return stdout;
  };
  cpSync(join(root, 'scripts/release.js'), join(folder, 'scripts/release.js'));
  const small = {
    name: 'pitwall',
    version: '7.1.0',
    type: 'module',
    bin: { pitwall: 'dist/cli/pitwall.js' },
    files: ['dist'],
  };
  write('package.json', JSON.stringify(small));
  write('.gitignore', 'release/\n');
  write('CHANGELOG.md', '# Changelog\n\n## 7.1.0 - 2027-01-31\n');
  write('LICENSE', 'none');
  write('dist/cli/pitwall.js', "#!/usr/bin/env node\nconsole.log('pitwall 7.1.0');\n");
  write('dist/web/index.html', '<!doctype html>');
  write('dist/client/client.js', 'export {};');
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'T');
  git('config', 'user.email', 't@t.example');
  const commit = (): void => {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'all');
  };
  commit();
  const release = (...args: readonly string[]) => run(process.execPath, 'scripts/release.js', ...args);
  return { folder, write, git, commit, release, tags: () => git('tag', '--list') };
}

describe('a release', () => {
  const refused = (
    house: ReturnType<typeof repository>,
    reason: RegExp,
    ...args: readonly string[]
  ): void => {
    const { status, stderr } = house.release(...args);
    assert.match(stderr, reason);
    assert.equal(status, 1);
    assert.ok(!readdirSync(house.folder).includes('release'));
  };

  it('is refused where something is not committed', () => {
    const house = repository();
    house.write('new.txt', 'x');
    refused(house, /^no release: there are changes that are not committed:\n\?\? new\.txt$/m, '--yes');
    assert.equal(house.tags(), '');
  });

  it('is refused on another branch, and on none', () => {
    const house = repository();
    house.git('switch', '--quiet', '--create', 'other');
    refused(house, /releases are made on main, and this is other/, '--yes');
    house.git('switch', '--quiet', '--detach');
    refused(house, /this is no branch/, '--yes');
  });

  it('is refused where the changelog has not the version with a day, or has more', () => {
    const house = repository();
    for (const [text, reason] of [
      ['## 7.0.0 - 2027-01-31\n', /has no line "## 7\.1\.0 - "/],
      ['## 7.1.0 (soon)\n', /has no line "## 7\.1\.0 - "/],
      ['## Unreleased\n\n## 7.1.0 - 2027-01-31\n', /has a part that is not released/],
    ] as const) {
      house.write('CHANGELOG.md', text);
      house.commit();
      refused(house, reason, '--yes');
    }
  });

  it('is refused where the tag is there, and where a word is not known', () => {
    const house = repository();
    refused(house, /^no release: --dry is not known/, '--dry');
    house.git('tag', 'v7.1.0');
    refused(house, /there is a tag v7\.1\.0 already/);
  });

  it('is tried without a word: packed, installed, run, with checksums, and no tag', () => {
    const house = repository();
    const { status, stdout, stderr } = house.release();
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^installed and ran: pitwall 7\.1\.0$/m);
    const made = readdirSync(join(house.folder, 'release')).sort();
    assert.deepEqual(made, ['SHA256SUMS', 'pitwall-7.1.0.tgz']);
    const checked = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: join(house.folder, 'release') });
    assert.equal(checked.status, 0);
    assert.equal(house.tags(), '');
  });

  it('sets the tag with --yes', () => {
    const house = repository();
    const { status, stderr } = house.release('--yes');
    assert.equal(status, 0, stderr);
    assert.equal(house.tags(), 'v7.1.0\n');
  });

  it('is refused where the command tells another version, and a file is missing', () => {
    const house = repository();
    house.write('dist/cli/pitwall.js', "#!/usr/bin/env node\nconsole.log('pitwall 6.0.0');\n");
    house.commit();
    assert.match(house.release('--yes').stderr, /the installed command says pitwall 6\.0\.0, not 7\.1\.0/);
    house.git('rm', '--quiet', 'dist/web/index.html');
    house.commit();
    assert.match(house.release('--yes').stderr, /the package has no dist\/web\/index\.html/);
    assert.equal(house.tags(), '');
  });
});

describe('the address of the project', () => {
  it('is that of the repository in package.json, and stands nowhere else', () => {
    const { url } = manifest['repository'] as { url: string };
    const address = url.replace(/^git\+/, '').replace(/\.git$/, '');
    assert.equal(manifest['homepage'], `${address}#readme`);
    assert.equal(manifest['bugs'], `${address}/issues`);
    const tracked = spawnSync('git', ['grep', '--files-with-matches', '--fixed-strings', address], {
      cwd: root,
      encoding: 'utf8',
    });
    // Without git, as in a folder that was unpacked, there is nothing to look through.
    if (tracked.status === 0) assert.equal(tracked.stdout, 'package.json\n');
  });
});
