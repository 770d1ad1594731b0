// Makes a release of the version in package.json (docs/releasing.md): checks that it may be made, packs, tries the package in
// an empty folder, writes checksums, builds the image and sets the tag. Without --yes nothing is tagged and no image is built.
// What is made stands in release/. Nothing is sent anywhere.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'release');
const branch = 'main';

const words = process.argv.slice(2);
const isReal = words.includes('--yes');
const unknown = words.filter((word) => word !== '--yes');
if (unknown.length > 0)
  refuse(`${unknown.join(' ')} is not known: without a word it is tried, with --yes it is done`);

const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tag = `v${version}`;

/** What the command writes, without the last end of line; ends the release where it fails. */
function run(command, args, cwd = root) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) refuse(`${[command, ...args].join(' ')}: ${error?.message ?? stderr.trim()}`);
  return stdout.trim();
}

function refuse(reason) {
  console.error(`no release: ${reason}`);
  process.exit(1);
}

function check() {
  const changed = run('git', ['status', '--porcelain']);
  if (changed !== '') refuse(`there are changes that are not committed:\n${changed}`);
  const current = run('git', ['branch', '--show-current']);
  if (current !== branch) refuse(`releases are made on ${branch}, and this is ${current || 'no branch'}`);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${version} `));
  if (!/^## \S+ - \d{4}-\d\d-\d\d$/.test(heading ?? ''))
    refuse(`CHANGELOG.md has no line "## ${version} - " with the day of the release`);
  if (/^## Unreleased/im.test(changelog)) refuse('CHANGELOG.md has a part that is not released');
  if (run('git', ['tag', '--list', tag]) !== '') refuse(`there is a tag ${tag} already`);
}

/** Packs, which builds before (`prepare`); the name of the file in release/. */
function pack() {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  const made = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', target]).replace(/^[^[{]*(?=[[{])/, ''),
  );
  const [{ filename, files }] = Array.isArray(made) ? made : Object.values(made);
  for (const needed of ['dist/cli/pitwall.js', 'dist/web/index.html', 'dist/client/client.js', 'LICENSE'])
    if (!files.some(({ path }) => path === needed)) refuse(`the package has no ${needed}`);
  console.log(`packed ${filename}: ${files.length} files`);
  return filename;
}

/** Installs the package as a user does, in an empty folder, and asks the command for its version. */
function tryPackage(file) {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-release-'));
  try {
    run('npm', ['init', '-y'], folder);
    run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', join(target, file)], folder);
    const told = run('npx', ['--no-install', name, '--version'], folder);
    if (!told.includes(version)) refuse(`the installed command says ${told}, not ${version}`);
    console.log(`installed and ran: ${told}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeChecksums(...files) {
  const lines = files.map((file) => {
    const hash = createHash('sha256')
      .update(readFileSync(join(target, file)))
      .digest('hex');
    return `${hash}  ${file}\n`;
  });
  writeFileSync(join(target, 'SHA256SUMS'), lines.join(''));
  process.stdout.write(lines.join(''));
}

function buildImage() {
  if (spawnSync('docker', ['version'], { stdio: 'ignore' }).status !== 0) {
    console.log('no image: docker does not run here');
    return;
  }
  const file = `${name}-${version}-image.tar`;
  run('docker', ['build', '--tag', `${name}:${version}`, '.']);
  run('docker', ['save', '--output', join(target, file), `${name}:${version}`]);
  return file;
}

check();
const packed = pack();
tryPackage(packed);
const image = isReal ? buildImage() : undefined;
writeChecksums(packed, ...(image === undefined ? [] : [image]));
if (isReal) {
  run('git', ['tag', '--annotate', tag, '--message', `${name} ${version}`]);
  console.log(`tagged ${tag}; docs/releasing.md says how to publish what is in release/`);
} else console.log(`tried only: with --yes the image is built and ${tag} is set`);
