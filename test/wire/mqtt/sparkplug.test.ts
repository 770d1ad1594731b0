import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { get } from 'sparkplug-payload';
import { noTags } from '../../../src/domain/tags.ts';
import { GatheredRows, type MessageRow } from '../../../src/wire/mqtt/gathered-rows.ts';
import type { MessageRead } from '../../../src/wire/mqtt/message-rows.ts';
import { readSparkplugMessage } from '../../../src/wire/mqtt/sparkplug.ts';
import { SparkplugNodes } from '../../../src/wire/mqtt/sparkplug-nodes.ts';
import { Refused } from '../../../src/wire/series/refused.ts';
import { defaultPayloadLimits as limits } from '../../payload-limits.ts';
import { plainRows } from '../payloads.ts';

describe('a birth of Sparkplug', () => {
  it('has all its metrics, also more than a payload may have parameters', () => {
    const count = 2 * limits.maxParameters + 1;
    const metrics = Array.from({ length: count }, (_, i) => ({ name: `m${i}`, type: 'Int32', value: i }));
    const payload = get('spBv1.0')!.encodePayload({ timestamp: 1_700_000_000_000, metrics, seq: 0 } as never);
    const rows: MessageRow[] = [];
    const refused = new Refused();
    const read = {
      rules: { limits },
      nodes: new SparkplugNodes(),
      message: { topic: 'spBv1.0/plant/NBIRTH/edge', payload: Buffer.from(payload), tags: noTags },
      rows,
      refused,
    } as unknown as MessageRead;
    readSparkplugMessage(read, 'default');
    const gathered = new GatheredRows(limits.maxParameters);
    for (const row of rows) gathered.add(row, noTags);
    const written = gathered.streams().flatMap((stream) => plainRows(stream.rows));
    assert.equal(new Set(written.map(({ time }) => time)).size, 1);
    const values = written.map((row) => Object.values(row.values));
    assert.ok(values.every((own) => own.length <= limits.maxParameters));
    assert.deepEqual(new Set(values.flat().map(Number)), new Set(Array.from({ length: count }, (_, i) => i)));
    assert.equal(values.flat().length, count);
    assert.equal(refused.counts.size, 0);
  });
});

describe('the numbers of messages of Sparkplug', () => {
  const sparkplug = get('spBv1.0')!;
  const nodes = new SparkplugNodes();
  /** Whether the node is asked for its birth after this message. */
  const asks = (type: string, seq: number | undefined, device = '') => {
    const asked: string[] = [];
    const metrics = type.endsWith('DEATH') ? [] : [{ name: 'm', alias: 1, type: 'Int32', value: 1 }];
    const payload = Buffer.from(sparkplug.encodePayload({ timestamp: 1, metrics, seq } as never));
    readSparkplugMessage(
      {
        rules: { limits },
        nodes,
        message: { topic: `spBv1.0/plant/${type}/edge${device}`, payload, tags: noTags },
        rows: [],
        refused: new Refused(),
        rebirth: (group: string, node: string) => asked.push(`${group}/${node}`),
      } as unknown as MessageRead,
      'default',
    );
    return asked;
  };

  it('let a node be asked for its birth where one is missing', () => {
    assert.deepEqual(asks('NBIRTH', 0), []);
    assert.deepEqual(asks('DBIRTH', 1, '/pump'), []);
    assert.deepEqual(asks('NDATA', 2), []);
    assert.deepEqual(asks('NDATA', 2), [], 'a repeat');
    assert.deepEqual(asks('DDEATH', 3, '/pump'), []);
    assert.deepEqual(asks('NDATA', 4), []);
    assert.deepEqual(asks('NDATA', 6), ['plant/edge']);
    assert.deepEqual(asks('NDATA', 7), []);
    // A birth in between was missed, and the numbers began anew.
    assert.deepEqual(asks('NDATA', 1), ['plant/edge']);
    assert.deepEqual(asks('NBIRTH', 0), []);
    for (let seq = 1; seq < 300; seq++) assert.deepEqual(asks('NDATA', seq % 256), []);
    assert.deepEqual(asks('NDEATH', undefined), []);
    assert.deepEqual(asks('NBIRTH', 0), []);
  });
});
