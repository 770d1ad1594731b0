import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adminToken, run, temporaryFolder } from './service.ts';

describe('the settings of MQTT', () => {
  it('are refused in words where they are wrong, and no password is told', async () => {
    const dataDir = temporaryFolder();
    const broker = ['--mqtt-connect', 'mqtt://any:secret@127.0.0.1:1'];
    for (const [args, message] of [
      [['--mqtt-listen', '127.0.0.1:0', '--mqtt-topics', 'xml:a'], /--mqtt-topics must be form:template/],
      [broker, /--mqtt-connect is of no use without --mqtt-subscribe/],
      [['--mqtt-subscribe', 'a/#'], /--mqtt-subscribe is of no use without --mqtt-connect/],
      [
        [...broker, '--mqtt-subscribe', 'a#'],
        /--mqtt-subscribe has a wildcard beside other letters, .* in 'a#'/,
      ],
      [[...broker, '--mqtt-subscribe', '#', '--mqtt-workspace', 'none'], /there is no workspace 'none'/],
    ] as const) {
      const { code, stderr } = await run(
        ['serve', '--data-dir', dataDir, '--listen', '127.0.0.1:0', ...args],
        {
          PITWALL_TOKEN: adminToken,
        },
      );
      assert.notEqual(code, 0);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /secret/);
    }
  });
});
