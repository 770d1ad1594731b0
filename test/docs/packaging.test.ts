import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadConfig } from '../../src/config.ts';
import { launchService, startService, temporaryFolder } from '../e2e/service.ts';
import { natsMissing, startNats } from '../live/nats-server.ts';
import { root } from '../root.ts';
import { until } from '../until.ts';

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

  it('lets threads lower their own priority, and alter no other resource', () => {
    const filters = [...unit.matchAll(/^SystemCallFilter=(.*)$/gm)].map(([, calls]) => calls!);
    assert.deepEqual(filters, ['@system-service', '~@privileged @resources', 'setpriority']);
  });

  it('reloads by a signal that the service takes', async () => {
    const [, signal] = /^ExecReload=\/bin\/kill -(\w+) /m.exec(unit)!;
    const service = await startService();
    service.child.kill(`SIG${signal}` as NodeJS.Signals);
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  });
});

describe('the start in a container', () => {
  /** The script beside a program that tells of its own heap and process. */
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'packaging'));
  mkdirSync(join(folder, 'dist/cli'), { recursive: true });
  const script = join(folder, 'packaging/container-start.sh');
  copyFileSync(join(root, 'packaging/container-start.sh'), script);
  writeFileSync(
    join(folder, 'dist/cli/pitwall.js'),
    `console.log(JSON.stringify([process.pid, process.execArgv, process.argv.slice(2)]));`,
  );
  const start = (limit: string, env: Readonly<Record<string, string>> = {}) => {
    const file = join(folder, 'memory.max');
    writeFileSync(file, `${limit}\n`);
    const started = spawnSync('sh', [script, 'serve', '--log-level', 'a b'], {
      env: { PATH: process.env['PATH'], MEMORY_LIMIT_FILE: file, ...env },
      encoding: 'utf8',
    });
    assert.equal(started.stderr, '');
    return { pid: started.pid, told: JSON.parse(started.stdout) as [number, string[], string[]] };
  };

  it('gives the heap half of the limit, in the place of the shell, and passes words on', () => {
    const { pid, told } = start(String(2 ** 31));
    assert.deepEqual(told, [pid, ['--max-old-space-size=1024'], ['serve', '--log-level', 'a b']]);
  });

  it('leaves the heap alone where there is no limit, or the operator has set one', () => {
    for (const limit of ['max', '', '9223372036854771712', '1048576'])
      assert.deepEqual(start(limit).told[1], []);
    const env = { NODE_OPTIONS: '--max-old-space-size=300' };
    assert.deepEqual(start(String(2 ** 31), env).told[1], []);
  });
});

describe('images, passwords and networks', () => {
  const files = [
    'Dockerfile',
    'compose.yaml',
    'packaging/cluster/compose.yaml',
    'packaging/cluster/kubernetes.yaml',
  ];

  it('are named by digest, but for our own', () => {
    for (const file of files) {
      const images = [...read(file).matchAll(/^(?:FROM| *image:) (\S+)/gm)].map(([, image]) => image!);
      assert.ok(images.length > 0, file);
      for (const image of images) assert.match(image, /^pitwall(:latest)?$|@sha256:[0-9a-f]{64}$/, file);
    }
  });

  it('stand in no command line', () => {
    for (const file of files) assert.doesNotMatch(read(file), /--pass\b|--password|--from-literal/, file);
  });

  it('are closed to all but those who need them', () => {
    const documents = read('packaging/cluster/kubernetes.yaml').split(/^---$/m);
    const named = (kind: RegExp) =>
      documents
        .filter((text) => kind.test(text))
        .map((text) => /^metadata:\n {2}name: (\S+)$/m.exec(text)![1]!);
    const policies = named(/^kind: NetworkPolicy$/m);
    assert.deepEqual(policies.sort(), named(/^kind: (StatefulSet|Deployment)$/m).sort());
    for (const text of documents.filter((text) => /^kind: NetworkPolicy$/m.test(text))) {
      assert.match(text, /policyTypes: \[Ingress, Egress\]/);
    }
  });

  it('let NATS in with the password of the environment, and with no other', {
    skip: natsMissing,
  }, async () => {
    process.env['NATS_PASSWORD'] = 'p1e5';
    const { port } = await startNats(['--config', join(root, 'packaging/cluster/nats.conf')]);
    const login = async (pass: string): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      const closed = once(socket, 'close').catch(() => undefined);
      socket.on('error', () => undefined);
      socket.write(`CONNECT ${JSON.stringify({ user: 'pitwall', pass, verbose: false })}\r\nPING\r\n`);
      await Promise.race([closed, until(() => /PONG|-ERR/.test(text) || socket.destroyed)]);
      socket.destroy();
      return text;
    };
    assert.match(await login('p1e5'), /PONG/);
    assert.match(await login('p1e6'), /-ERR 'Authorization Violation'/);
  });
});
