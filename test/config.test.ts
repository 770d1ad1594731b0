import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Config, ConfigError, describeSettings, loadConfig } from '../src/config.ts';
import { flagOf, type Setting } from '../src/setting.ts';
import { settings } from '../src/settings.ts';

const load = (argv: string[], env: Record<string, string> = {}) => loadConfig({ argv, env });
const refusal = (argv: string[], env: Record<string, string> = {}): string => {
  try {
    load(argv, env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return assert.fail('the settings were accepted');
};

function withFile<T>(content: string, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-config-'));
  try {
    writeFileSync(join(folder, 'pitwall.json'), content);
    return use(join(folder, 'pitwall.json'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the settings', () => {
  it('have the defaults of the contract', () => {
    const config = load([]);
    assert.equal(config.dataDir, './pitwall-data');
    assert.deepEqual(config.listen, { host: '127.0.0.1', port: 8480 });
    assert.equal(config.queryListen, undefined);
    assert.equal(config.token, undefined);
    assert.equal(config.interruptedAfter, 60_000);
    assert.equal(config.maxBodyBytes, 32 * 2 ** 20);
    assert.equal(config.maxNameBytes, 512);
    assert.equal(config.maxQueryTime, 120_000);
    assert.equal(config.maxParameters, 4096);
    assert.equal(config.maxTags, 256);
    assert.equal(config.maxTimestamps, 1_000_000);
    assert.equal(config.maxStringBytes, 65_536);
    assert.equal(config.maxBinaryBytes, 2 ** 20);
    assert.equal(config.metricsOpen, false);
  });

  it('come from flags before the environment before the file before the default', () => {
    withFile('{"dataDir":"file","headBytes":1048576,"logLevel":"warn","maxTags":7}', (path) => {
      const config = load(['--config', path, '--data-dir', 'flag'], {
        PITWALL_DATA_DIR: 'variable',
        PITWALL_LOG_LEVEL: 'debug',
      });
      assert.equal(config.dataDir, 'flag');
      assert.equal(config.logLevel, 'debug');
      assert.equal(config.headBytes, 1_048_576);
      assert.equal(config.maxParameters, 4096);
      assert.equal(load([], { PITWALL_CONFIG: path }).maxTags, 7);
    });
  });

  it('read sizes, times, addresses and switches in their units', () => {
    assert.equal(load(['--head-bytes', '3GiB']).headBytes, 3 * 2 ** 30);
    assert.equal(load(['--max-body-bytes=64KiB']).maxBodyBytes, 65_536);
    assert.equal(load(['--interrupted-after', '5m']).interruptedAfter, 300_000);
    assert.equal(load(['--interrupted-after', '1500ms']).interruptedAfter, 1500);
    assert.deepEqual(load(['--listen', '[::1]:0']).listen, { host: '::1', port: 0 });
    assert.deepEqual(load(['--query-listen', 'localhost:81']).queryListen, { host: 'localhost', port: 81 });
    assert.equal(load(['--metrics-open']).metricsOpen, true);
    assert.equal(load([], { PITWALL_METRICS_OPEN: 'true' }).metricsOpen, true);
    assert.equal(load(['--metrics-open=false'], { PITWALL_METRICS_OPEN: '1' }).metricsOpen, false);
  });

  it('take a file that begins with a byte order mark', () => {
    withFile('\uFEFF{"maxTags":7}', (path) => assert.equal(load(['--config', path]).maxTags, 7));
  });

  it('refuse origins that no browser sends', () => {
    for (const list of [
      '*',
      'null',
      'https://a.example',
      'http://localhost:5173, https://a.example',
      'app://-',
    ])
      assert.equal(load(['--cors-origin', list]).corsOrigin, list);
    for (const wrong of [
      'a.example',
      'https://a.example/',
      'https://A.example',
      'https://a.example:443',
      '*,null',
    ])
      assert.match(refusal(['--cors-origin', wrong]), /^--cors-origin must be \*, or origins such as https:/);
  });

  it('say that there may be no read threads', () => {
    assert.equal(load(['--read-threads', '0']).readThreads, 0);
    assert.equal(
      refusal(['--read-threads', '-1']),
      "--read-threads must be a whole number, or 0 for none, not '-1'",
    );
  });

  it('bound the depth of an argument where the scanner ends', () => {
    assert.equal(load(['--hub-max-depth', '64']).hubMaxDepth, 64);
    assert.match(
      refusal(['--hub-max-depth', '65']),
      /^--hub-max-depth must be a whole number from 1 to 64, not '65'$/,
    );
    assert.match(refusal(['--hub-max-depth=0']), /--hub-max-depth must be a whole number from 1 to 64/);
  });

  it('bound a message to the hub and what waits for the rest of one apart', () => {
    const config = load(['--hub-max-message-bytes', '1MiB', '--hub-max-unfinished-bytes', '3MiB']);
    assert.equal(config.hubMaxMessageBytes, 2 ** 20);
    assert.equal(config.hubMaxUnfinishedBytes, 3 * 2 ** 20);
    assert.match(refusal(['--hub-max-unfinished-bytes', 'much']), /--hub-max-unfinished-bytes must be bytes/);
  });

  it('take an empty variable as unset, unless rows would go elsewhere then', () => {
    assert.equal(load([], { PITWALL_TOKEN: '', PITWALL_DATA_DIR: '' }).token, undefined);
    for (const name of ['PITWALL_STORE', 'PITWALL_LIVE'])
      assert.equal(refusal([], { [name]: '' }), `${name} must not be empty`);
    // A flag wins before its variable is looked at.
    assert.ok(load(['--store', 'clickhouse://localhost'], { PITWALL_STORE: '' }).store);
  });

  it('refuse empty text of a flag or of the file, but for lists, which may be empty', () => {
    const lists = [
      ...['lineStreamTags', 'prometheusStream', 'otlpTopic', 'otlpStream', 'webhookAllow'],
      ...['mqttSubscribe', 'mqttTopics', 'mqttTime', 'mqttTags'],
    ];
    for (const [key, { secret }] of Object.entries<Setting<unknown>>(settings)) {
      withFile(JSON.stringify({ [key]: '' }), (path) => {
        if (lists.includes(key)) {
          assert.deepEqual(load([`--${flagOf(key)}=`])[key as keyof Config], []);
          assert.deepEqual(load(['--config', path])[key as keyof Config], []);
          return;
        }
        assert.match(refusal(['--config', path]), new RegExp(`^${key} in ${path} (must|may) `));
        if (!secret)
          assert.match(refusal([`--${flagOf(key)}=`]), new RegExp(`^--${flagOf(key)} (must|may) `));
      });
    }
    assert.equal(refusal(['--store', '']), '--store must not be empty');
    assert.equal(refusal(['--config', '']), '--config must not be empty');
    withFile('{"store": null}', (path) => assert.equal(load(['--config', path]).store, undefined));
  });

  it('leave alone the variables of the client commands and of Kubernetes', () => {
    const env = {
      PITWALL_URL: 'http://x',
      PITWALL_FROM_TOKEN: 'of-the-source',
      PITWALL_TO_TOKEN: 'of-the-target',
      PITWALL_PORT: 'tcp://1.2.3.4:80',
      PITWALL_SERVICE_HOST: '1.2.3.4',
    };
    assert.equal(load([], env).dataDir, './pitwall-data');
  });

  const refusals: [what: string, argv: string[], env: Record<string, string>, message: RegExp][] = [
    ['an unknown flag', ['--data-dri', 'x'], {}, /--data-dri is not a setting/],
    ['a short flag', ['-x'], {}, /-x is not a setting/],
    ['a stray word', ['now'], {}, /'now' is not a setting/],
    ['an unknown variable', [], { PITWALL_DATADIR: 'x' }, /PITWALL_DATADIR is not a setting/],
    ['a flag without its value', ['--data-dir'], {}, /--data-dir needs a value/],
    ['a flag in the place of a value', ['--data-dir', '--metrics-open'], {}, /--data-dir needs a value/],
    ['a size that is none', ['--head-bytes', 'lots'], {}, /--head-bytes must be bytes such as .* not 'lots'/],
    ['a size of nothing', ['--head-bytes', '0'], {}, /--head-bytes must be bytes/],
    [
      'a time without a unit',
      [],
      { PITWALL_INTERRUPTED_AFTER: '60' },
      /PITWALL_INTERRUPTED_AFTER must be a time/,
    ],
    ['an address without a port', ['--listen', 'localhost'], {}, /--listen must be HOST:PORT/],
    ['a port out of range', ['--listen', 'localhost:65536'], {}, /--listen must be HOST:PORT/],
    ['a count below one', ['--max-tags', '0'], {}, /--max-tags must be a whole number above 0/],
    ['an unknown level', ['--log-level', 'loud'], {}, /--log-level must be one of fatal/],
    [
      'a value of a switch after a space',
      ['--metrics-open', 'true'],
      {},
      /^'true' is not a setting; write --metrics-open, or a value of it as --metrics-open=false$/,
    ],
    ['a switch that is neither', ['--metrics-open=perhaps'], {}, /--metrics-open must be true or false/],
    [
      'a certificate without its key',
      ['--tls-cert', 'a.pem'],
      {},
      /--tls-cert and --tls-key are needed together/,
    ],
    [
      'a body limit above the budget',
      ['--max-in-flight-bytes', '1KiB'],
      {},
      /--max-in-flight-bytes must be at least/,
    ],
    ['a host pattern without a workspace', ['--host-pattern', '{service}.x'], {}, /must hold \{workspace\}/],
    [
      'a host pattern without its domain',
      ['--host-pattern', '{workspace}.{domain}'],
      {},
      /--domain is needed/,
    ],
    [
      'a domain without a host pattern',
      [],
      { PITWALL_DOMAIN: 'example.com' },
      /^PITWALL_DOMAIN needs a --host-pattern that holds \{domain\}$/,
    ],
    [
      'a domain for a host pattern without one',
      ['--domain', 'example.com', '--host-pattern', '{workspace}.example.com'],
      {},
      /^--domain needs a --host-pattern that holds \{domain\}$/,
    ],
    [
      'what is for the data folder beside a store elsewhere',
      ['--store', 'clickhouse://localhost', '--head-bytes', '8MiB'],
      {},
      /^--head-bytes is for the data folder, and has no effect with --store$/,
    ],
    [
      'a token flag, which every user of the machine could see',
      ['--token', 'x'],
      {},
      /--token is not a setting/,
    ],
    [
      'a data folder beside a store elsewhere',
      ['--data-dir', 'x', '--store', 'clickhouse://localhost'],
      {},
      /^--data-dir and --store exclude each other/,
    ],
    [
      'a setting of ClickHouse without it',
      ['--clickhouse-cluster', 'c'],
      {},
      /^--clickhouse-cluster needs --store$/,
    ],
    [
      'a setting of ClickHouse without it, wherever it comes from',
      [],
      { PITWALL_CLICKHOUSE_INSERT_ROWS: '10' },
      /^PITWALL_CLICKHOUSE_INSERT_ROWS needs --store$/,
    ],
    [
      'a cluster whose name cannot stand in a statement',
      ['--store', 'clickhouse://localhost', '--clickhouse-cluster', "c'; DROP"],
      {},
      /^--clickhouse-cluster may hold only letters/,
    ],
    [
      'a durability that there is not',
      ['--store', 'clickhouse://localhost', '--clickhouse-durability', 'none'],
      {},
      /^--clickhouse-durability must be one of synced, cached/,
    ],
    ['a config file that is not there', ['--config', '/nowhere.json'], {}, /\/nowhere.json cannot be read/],
  ];
  for (const [what, argv, env, message] of refusals) {
    it(`refuse ${what} in one line`, () => {
      const text = refusal(argv, env);
      assert.match(text, message);
      assert.doesNotMatch(text, /\n/);
    });
  }

  it('take addresses of ClickHouse and NATS as they came', () => {
    const store = 'clickhouse://tele:p%40ss@db.example.com:8123/telemetry';
    const live = 'nats://a:4222,b:4222/racing';
    const config = load(['--store', store, '--live', live]);
    assert.equal(config.store, store);
    assert.equal(config.live, live);
    assert.equal(load([], { PITWALL_STORE: 'clickhouses://db' }).store, 'clickhouses://db');
    const several = 'clickhouse://tele:p%40ss@a:8123,b,[::1]:9/telemetry';
    assert.equal(load(['--store', several]).store, several);
    assert.equal(config.clickhouseDurability, 'synced');
    assert.equal(config.clickhouseInsertAge, undefined);
    assert.equal(load(['--store', store, '--clickhouse-insert-age', '0ms']).clickhouseInsertAge, 0);
    assert.deepEqual(
      [load([]).store, load([]).live, load([]).clickhouseCluster],
      [undefined, undefined, undefined],
    );
  });

  it('do not use the data folder of the environment or the file with a store elsewhere', () => {
    const store = ['--store', 'clickhouse://localhost'];
    assert.equal(load(store, { PITWALL_DATA_DIR: '/var/lib/pitwall' }).store, 'clickhouse://localhost');
    const { headBytes } = load(store, { PITWALL_HEAD_BYTES: '8MiB' });
    assert.equal(headBytes, 8 * 2 ** 20);
    withFile('{"dataDir":"x","readThreads":2}', (path) =>
      assert.ok(load([...store, '--config', path]).store),
    );
  });

  it('never repeat an address with its password', () => {
    const wrong = [
      'clickhouse:u:secret@db',
      'clickhouse://u:secret@db:99999',
      'clickhouse://u:secret%@db',
      'clickhouse://u:secret@db/a/b',
      'clickhouse://u:secret@db,/a',
      'clickhouse://u:secret@db,db:99999/a',
      'clickhouse://u:secret@db/a?b=c',
      'clickhouse://u:sec ret@db',
      'postgres://u:secret@db',
    ];
    for (const store of wrong) {
      const text = refusal(['--store', store]);
      assert.match(text, /^--store must be like clickhouse:\/\/user:password@host:8123\/database/);
      assert.doesNotMatch(text, /sec|99999/);
    }
    assert.match(
      refusal([], { PITWALL_LIVE: 'nats:u:secret' }),
      /^PITWALL_LIVE must be like nats:\/\/[^\n]*$/,
    );
    assert.equal(
      refusal(['clickhouse://u:s@cret@db']),
      "'clickhouse://…@db' is not a setting; see pitwall serve --help",
    );
    const given = 'http://me:secret@host/';
    for (const [key, { secret }] of Object.entries<Setting<unknown>>(settings)) {
      if (secret) continue;
      withFile(JSON.stringify({ [key]: given }), (path) => {
        let text = '';
        try {
          load(['--config', path]);
        } catch (error) {
          text = (error as Error).message;
        }
        assert.doesNotMatch(text, /secret/, key);
      });
    }
    withFile('{"store": "clickhouse://u:secret@db",}', (path) =>
      assert.doesNotMatch(refusal(['--config', path]), /secret/),
    );
    withFile('{"store": "clickhouse://u:secret@db" x', (path) =>
      assert.doesNotMatch(refusal(['--config', path]), /secret/),
    );
    withFile(`{"store": "clickhouse://u:secret"db"${' '.repeat(40)}}`, (path) =>
      assert.doesNotMatch(refusal(['--config', path]), /secret|cret/),
    );
  });

  it('never repeat a wrong token', () => {
    const strange = 'not a token of sixteen';
    assert.equal(
      refusal([], { PITWALL_TOKEN: strange }),
      'PITWALL_TOKEN may hold only letters, digits and - . _ ~ + / =',
    );
  });

  it('refuse a token of fewer than 16 characters', () => {
    const short = 'fifteen-letters';
    assert.equal(
      refusal([], { PITWALL_TOKEN: short }),
      "PITWALL_TOKEN must have at least 16 characters; 'openssl rand -hex 32' makes a good one",
    );
    assert.equal(load([], { PITWALL_TOKEN: `${short}1` }).token, `${short}1`);
  });

  it('refuse a wrong file: other JSON, unknown keys, keys that stand twice, nested values', () => {
    withFile('{"maxTags": 5, "dataDir": "a \\" maxTags\\": ", "max\\u0054ags" : 6}', (path) =>
      assert.equal(refusal(['--config', path]), `maxTags stands twice in ${path}`),
    );
    withFile('{"maxTags": null, "dataDir": "\\"maxTags\\": 6"}', (path) =>
      assert.equal(load(['--config', path]).dataDir, '"maxTags": 6'),
    );
    withFile('[]', (path) => assert.match(refusal(['--config', path]), /must hold one JSON object/));
    withFile('{"data-dir":"x"}', (path) =>
      assert.match(refusal(['--config', path]), /data-dir in .* is not a setting/),
    );
    withFile('{"listen":{}}', (path) =>
      assert.match(refusal(['--config', path]), /listen in .* must be text/),
    );
    withFile('{"maxTags":-1}', (path) =>
      assert.match(refusal(['--config', path]), /maxTags in .* must be a whole/),
    );
  });

  it('are listed with unit and default', () => {
    const list = describeSettings();
    assert.match(list, /--listen +.*\(HOST:PORT, default 127\.0\.0\.1:8480\)/);
    assert.match(list, /--max-body-bytes +.*\(bytes, default 32MiB\)/);
    assert.match(list, /PITWALL_TOKEN/);
    assert.doesNotMatch(list, /--token/);
  });
});
