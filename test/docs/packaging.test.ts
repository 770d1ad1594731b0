import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadConfig } from '../../src/config.ts';
import { launchService, startService, temporaryFolder } from '../e2e/service.ts';
import { root } from '../root.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const dockerfile = read('Dockerfile');
const unit = read('packaging/pitwall.service');

/** `NAME=value` pairs of a line that sets variables. */
function variablesOf(text: string, start: RegExp): Record<string, string> {
  const line = text.split('\n').find((line) => start.test(line))!;
  return Object.fromEntries(
    [...line.matchAll(/(PITWALL_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  );
}

describe('the Dockerfile', () => {
  it('checks the health of a service as the service sees it', async () => {
    const [command, ...args] = JSON.parse(/HEALTHCHECK[^[]*(\[.*\])/.exec(dockerfile)![1]!) as string[];
    assert.equal(command, 'node');
    const service = await launchService(temporaryFolder());
    const placed = args.map((arg) => arg.replace('http://127.0.0.1:8480', service.url));
    assert.notDeepEqual(placed, args);
    const check = () => spawnSync(process.execPath, placed).status;
    assert.equal(check(), 0);
    await service.stop();
    assert.equal(check(), 1);
  });

  it('copies files that are there, to a user without rights, with settings that hold', () => {
    for (const [, from] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
      for (const file of from!.split(' ')) assert.ok(existsSync(join(root, file)), file);
    }
    const shown = read('.dockerignore').match(/(?<=^!).*$/gm)!;
    for (const file of shown) assert.ok(existsSync(join(root, file)), file);
    const config = loadConfig({ argv: [], env: variablesOf(dockerfile, /^ENV /) });
    assert.deepEqual([config.dataDir, config.listen.host], ['/data', '0.0.0.0']);
    assert.match(dockerfile, /^USER node$/m);
    const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)![1]!) as string[];
    assert.ok(existsSync(join(root, entry[1]!)));
  });
});

describe('the unit of systemd', () => {
  it('is one that systemd accepts', (t) => {
    const path = join(root, 'packaging/pitwall.service');
    const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    if (verified.error !== undefined) return t.skip('there is no systemd-analyze');
    // The program is where it will be installed, not here.
    const complaints = verified.stderr.split('\n').filter((line) => !/^$|is not executable/.test(line));
    assert.deepEqual(complaints, []);
  });

  it('has settings that hold, and a folder that it may write', () => {
    const config = loadConfig({ argv: [], env: variablesOf(unit, /^Environment=/) });
    assert.equal(config.dataDir, '/var/lib/pitwall');
    assert.match(unit, /^StateDirectory=pitwall$/m);
    assert.match(
      unit,
      /^ExecStart=\S+ \/opt\/pitwall\/node_modules\/pitwall\/dist\/cli\/pitwall\.js serve$/m,
    );
  });

  it('reloads by a signal that the service takes', async () => {
    const [, signal] = /^ExecReload=\/bin\/kill -(\w+) /m.exec(unit)!;
    const service = await startService();
    service.child.kill(`SIG${signal}` as NodeJS.Signals);
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  });
});
