import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfig } from '../../src/config.ts';
import type { Log } from '../../src/log.ts';
import { openLive } from '../../src/start/open-live.ts';
import { natsMissing, startNats } from '../live/nats-server.ts';

const catalog = { describe: () => undefined, topicName: () => undefined, documents: () => [] };

/** What the log says; `onWarning` hears warnings as they come. */
function notes(onWarning: (message: string) => void = () => undefined) {
  const told: string[] = [];
  const note = (fields: object, message: string): void => {
    told.push(`${message} ${JSON.stringify(fields)}`);
  };
  const warn = (fields: object, message: string): void => {
    note(fields, message);
    onWarning(message);
  };
  return { told, log: { info: note, warn, error: note } as unknown as Log };
}

const configOf = (live: string) => loadConfig({ argv: ['--live', live, '--node-name', 'a'], env: {} });
const running = new AbortController().signal;

describe('live data without other nodes', () => {
  it('need no link', async () => {
    const live = await openLive(
      loadConfig({ argv: [], env: {} }),
      catalog,
      () => undefined,
      notes().log,
      running,
    );
    assert.equal(live.link, undefined);
    await live.settled();
    await live.close();
  });

  it('are refused where the address is wrong, without repeating it', async () => {
    const opening = openLive(
      configOf('nats://u:secret@a:b:c'),
      catalog,
      () => undefined,
      notes().log,
      running,
    );
    await assert.rejects(opening, ({ message }: Error) => {
      assert.match(message, /--live.* must be like nats:[^\n]*$/);
      assert.doesNotMatch(message, /secret/);
      return true;
    });
  });
});

describe('live data over NATS', { skip: natsMissing }, () => {
  it('are there when the link stands, and say how it is', async () => {
    const nats = await startNats();
    const { log, told } = notes();
    const live = await openLive(configOf(nats.url), catalog, () => undefined, log, running);
    assert.equal(live.link!.connected(), true);
    assert.deepEqual(live.link!.problems, []);
    assert.ok(told.every((line) => !line.startsWith('waiting')));
    await live.settled();
    await live.close();
  });

  it('are waited for, with a line in the log', async () => {
    const nats = await startNats();
    await nats.kill();
    const { log, told } = notes((message) => {
      if (message.startsWith('waiting for NATS')) nats.start();
    });
    const live = await openLive(configOf(nats.url), catalog, () => undefined, log, running);
    assert.equal(live.link!.connected(), true);
    assert.equal(told.filter((line) => line.startsWith('waiting for NATS at nats://127.0.0.1:')).length, 1);
    assert.equal(told.filter((line) => / is there /.test(line)).length, 1);
    await live.close();
  });

  it('are waited for until the start is ended', async () => {
    const nats = await startNats();
    await nats.kill();
    const stopping = new AbortController();
    const { log } = notes(() => stopping.abort(new Error('SIGTERM')));
    await assert.rejects(
      openLive(configOf(nats.url), catalog, () => undefined, log, stopping.signal),
      /^Error: SIGTERM$/,
    );
  });

  it('end the start with one line where NATS refuses the login', async () => {
    const nats = await startNats(['--user', 'tele', '--pass', 'right']);
    const url = nats.url.replace('//', '//tele:wrong@');
    const { log, told } = notes();
    await assert.rejects(
      openLive(configOf(url), catalog, () => undefined, log, running),
      ({ message }: Error) => {
        assert.match(message, /^NATS at nats:\/\/127\.0\.0\.1:\d+ refuses the login: .*Authorization/i);
        assert.doesNotMatch(message, /\n|wrong|tele/);
        return true;
      },
    );
    assert.doesNotMatch(told.join('\n'), /wrong|right/);
  });
});
